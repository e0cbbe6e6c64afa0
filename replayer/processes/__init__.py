"""How judging runs on a machine: over several processes, with its memory returned, and a library's failure recognised.

It knows neither logs nor rules.
"""
