"""Where failures were observed, where they began, what people found out, and what may be suspected where nobody did."""
