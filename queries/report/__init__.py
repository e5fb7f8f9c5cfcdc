"""What the report of a run needs beside the queries of its topics."""
