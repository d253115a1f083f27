"""Adapters over AWS; the only room that may import boto3."""
