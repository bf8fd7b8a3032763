# syntax=docker/dockerfile:1
# Two stages: the first builds kernels, console and JavaScript with all tools; the second holds only what runs, as a user
# without rights. Build: docker build -t kindred .   Run: docker run -p 8080:8080 -v kindred-data:/data kindred

FROM node:26-bookworm-slim AS build
WORKDIR /app
COPY . .
RUN npm ci \
  && npm run prepack \
  # The image has the drivers of S3 and Kafka, which are optional elsewhere.
  && node scripts/keep-drivers.ts \
  && npm prune --omit=dev --ignore-scripts \
  # The base image brings Node 26; the copy pinned for other machines is not needed in it.
  && rm -rf node_modules/node node_modules/node-bin-* node_modules/node-linux-* node_modules/.bin/node

FROM node:26-bookworm-slim
ENV NODE_ENV=production \
    KINDRED_HOST=0.0.0.0 \
    KINDRED_PORT=8080 \
    KINDRED_DATA_DIR=/data
WORKDIR /app
COPY --from=build /app/package.json /app/LICENSE ./
COPY --from=build /app/bin ./bin
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/build/package ./build/package
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.KINDRED_PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "bin/kindred.js"]
CMD ["serve"]
