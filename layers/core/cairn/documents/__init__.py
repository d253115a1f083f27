"""Keep JSON documents under collections and keys until they are deleted, and search them."""
