import { docs, posts } from 'fumadocs-mdx:collections/server';
import { loader } from 'fumadocs-core/source';
import { i18n } from './i18n';

export const source = loader({ baseUrl: '/docs', i18n, source: docs.toFumadocsSource() });
export const blog = loader(toFumadocsSource(posts, []), { baseUrl: '/blog' });
