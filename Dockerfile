FROM node:24-bookworm-slim

ENV NODE_ENV=production
WORKDIR /app
COPY . .
# The image brings Node itself; of the install scripts only Deno's is needed.
RUN npm install --no-save --omit=dev --ignore-scripts --no-audit --no-fund \
  && npm rebuild deno

USER node
ENV HEADWATER_HOST=0.0.0.0 \
    HEADWATER_DATA_DIR=/tmp/headwater
EXPOSE 8787
HEALTHCHECK CMD ["node", "-e", "fetch('http://127.0.0.1:8787/healthz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "apps/server/src/main.ts"]
