"""Charts: typed rows in, a Plotly figure out; no Streamlit."""
