# After `pip wheel --no-deps --wheel-dir dist .`, which puts Cairn with its embedding model into dist.
FROM python:3.13-slim
COPY dist/*.whl /tmp/
RUN pip install --no-cache-dir /tmp/*.whl && rm /tmp/*.whl && useradd --uid 10001 cairn && install -d -m 700 -o cairn /data
USER cairn
ENV CAIRN_DATA=/data
VOLUME /data
EXPOSE 8787
HEALTHCHECK CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8787/healthz', timeout=5)"]
ENTRYPOINT ["cairn"]
CMD ["serve", "--host", "0.0.0.0"]
