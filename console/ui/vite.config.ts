import { defineConfig, loadEnv, type Plugin } from 'vite';
import { LIST, thirdParty } from './third-party.ts';

/** The server writes the context path and a nonce into the page; the development server serves it at its root, without a policy. */
const page: Plugin = {
  name: 'cairn-page',
  apply: 'serve',
  transformIndexHtml: { order: 'pre', handler: (html) => html.replace('%BASE%', '/').replace('%NONCE%', '') },
};

export default defineConfig({
  plugins: [page, thirdParty],
  // The context path is the operator's choice: the server writes it into <base>, and all else is relative.
  base: './',
  build: {
    target: 'es2022',
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 900,
    modulePreload: { polyfill: false },
    license: { fileName: LIST },
    rolldownOptions: {
      // Ant Design marks its files for server-side rendering, which is not done here.
      onwarn: (warning, say) => warning.code !== 'MODULE_LEVEL_DIRECTIVE' && say(warning),
    },
  },
  // The development server passes calls of the API on to a running server; CAIRN_SERVER names another one.
  server: { proxy: { '/v3': loadEnv('', '.', 'CAIRN_').CAIRN_SERVER ?? 'http://127.0.0.1:8848/nacos' } },
});
