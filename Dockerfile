# Two images of one program:
#   docker build -t maru .                  the bot: static, no shell, non-root
#   docker build -t maru --target full .    the same with git, the Python tool's sandbox and text recognition (Tesseract, Korean and English: 25 MB)
FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags "-s -w" -o /maru ./cmd/maru \
 && mkdir -p /data && chown 65532:65532 /data

FROM debian:bookworm-slim AS full
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates git bubblewrap python3 tesseract-ocr tesseract-ocr-kor \
 && rm -rf /var/lib/apt/lists/*
COPY --from=build /maru /maru
COPY --from=build --chown=65532:65532 /data /data
ENV DATA_DIR=/data HTTP_ADDR=127.0.0.1:8080
USER 65532:65532
VOLUME /data
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s CMD ["/maru", "healthcheck"]
ENTRYPOINT ["/maru"]
CMD ["serve"]

FROM gcr.io/distroless/static-debian12:nonroot
COPY --from=build /maru /maru
COPY --from=build --chown=65532:65532 /data /data
ENV DATA_DIR=/data HTTP_ADDR=127.0.0.1:8080
USER 65532:65532
VOLUME /data
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s CMD ["/maru", "healthcheck"]
ENTRYPOINT ["/maru"]
CMD ["serve"]
