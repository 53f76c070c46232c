"""The inspector: a page that shows a document, the schemas that a model reads, and the schemas that are enforced.

``html_report`` writes a static page, and ``web_app`` serves the same page with calls (extra ``specfn[ui]``).
"""
