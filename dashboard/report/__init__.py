"""The postmortem of a run: facts out of the store, a document of them, and the document as Markdown, HTML or JSON."""
