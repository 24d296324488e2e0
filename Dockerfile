# Foyer in a container. docs/deployment.md has the commands.
#
# The image has the service, built, with all its packages: a start downloads and builds nothing. It runs as the user 1993,
# and with a read-only root file system. It writes only into /data and /tmp.
# Your own files (BRAND_LOGO, BRAND_CSS, TEXTS_DIR, CLIENTS_FILE) are mounted:
# --volume /etc/foyer/brand:/brand:ro --env BRAND_LOGO=/brand/logo.svg

# Another base needs the same version of `deno` in PATH, and for sharp: glibc, /usr/bin/ldd, by which it recognizes glibc,
# and libstdc++.
ARG DENO_IMAGE=denoland/deno:2.9.6

FROM ${DENO_IMAGE} AS build
WORKDIR /source
# In a layer of their own, so that a change of the sources downloads no packages.
COPY deno.json deno.lock ./
RUN ["deno", "install", "--frozen"]
COPY . .
# Shown by the log and by `deno task foyer --version`: --build-arg COMMIT=$(git rev-parse HEAD)
ARG COMMIT=
# At the path where it will run: Deno's cache belongs to it.
RUN ["deno", "task", "release", "/app"]
# Some images have no `mkdir`.
WORKDIR /data

FROM ${DENO_IMAGE}
COPY --from=build /app /app
# A new volume gets the owner of this folder.
COPY --from=build --chown=1993:1993 /data /data
WORKDIR /app
ENV APP_ENV=production
ENV DATA_DIR=/data
ENV DENO_DIR=/app/.deno
ENV DENO_NO_UPDATE_CHECK=1
USER 1993:1993
VOLUME /data
EXPOSE 8000
# A first start with many migrations may take a while. After that, three failures in a row count.
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 CMD ["deno", "eval", "--quiet", "const { ok } = await fetch(`http://127.0.0.1:${Deno.env.get('PORT') ?? 8000}/api/health`); Deno.exit(ok ? 0 : 1);"]
CMD ["deno", "task", "start"]
