"""Black Jack (PT «Black Jack» ou «Vinte e Um», ZH 二十一點): its regulations and the rules that they hold."""
