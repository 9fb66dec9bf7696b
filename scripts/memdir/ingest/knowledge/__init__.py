"""What was written down elsewhere: folders of markdown, memories of other tools and documents, read into notes."""
