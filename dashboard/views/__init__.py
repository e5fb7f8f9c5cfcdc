"""Pages: one file each, found by the `PAGE` it defines; a file ends by drawing itself when Streamlit runs it."""
