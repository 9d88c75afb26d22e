# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0

# The Python package and the program, for hosts. Not yet run.
#   docker build -t tessera .
#   docker run --rm -v "$PWD:/data" tessera atax a.npy --vector a-vector.npy
FROM debian:trixie-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends \
    ca-certificates g++ git libhdf5-dev libssl-dev python3-dev python3-venv zlib1g-dev
COPY . /tessera
RUN python3 -m venv /opt/tessera && /opt/tessera/bin/pip install --no-cache-dir /tessera

FROM debian:trixie-slim
RUN apt-get update && apt-get install -y --no-install-recommends \
    libgomp1 libhdf5-310 libssl3t64 python3 zlib1g && rm -rf /var/lib/apt/lists/*
COPY --from=build /opt/tessera /opt/tessera
ENV PATH=/opt/tessera/bin:$PATH
RUN useradd --create-home tessera
USER tessera
WORKDIR /data
ENTRYPOINT ["tessera"]
CMD ["--help"]
