"""Shows the answers: the pages, the charts, the reports and the command line."""
