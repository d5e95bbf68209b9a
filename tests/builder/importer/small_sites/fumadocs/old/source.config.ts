import { defineCollections, defineConfig, defineDocs } from 'fumadocs-mdx/config';

export const docs = defineDocs({ dir: 'content/docs' });
export const posts = defineCollections({ type: 'doc', dir: 'content/blog' });
export default defineConfig({ mdxOptions: { rehypeCodeOptions: { themes: {} } } });
