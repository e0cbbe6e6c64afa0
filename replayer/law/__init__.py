"""Regulations as dated data: one record a version, one field an article, in the order of the law."""
