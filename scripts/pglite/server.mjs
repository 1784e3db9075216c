// Serves PGlite with the pgvector extension on a port of this machine, from
// memory: node server.mjs PORT. It has one backend for all connections.
import { PGlite } from '@electric-sql/pglite'
import { vector } from '@electric-sql/pglite-pgvector'
import { PGLiteSocketServer } from '@electric-sql/pglite-socket'

const db = await PGlite.create({ extensions: { vector } })
await db.exec('CREATE EXTENSION IF NOT EXISTS vector')
const server = new PGLiteSocketServer({ db, host: '127.0.0.1', port: Number(process.argv[2]), maxConnections: 32 })
await server.start()
