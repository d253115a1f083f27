"""Adapters over AWS, the only room that may import the AWS SDK."""
