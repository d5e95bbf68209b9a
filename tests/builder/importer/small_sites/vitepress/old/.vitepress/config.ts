import { defineConfig } from 'vitepress'

export default defineConfig({
  title: 'Harbour',
  description: 'The documentation of Harbour.',
  lang: 'en-US',
  cleanUrls: true,
  srcExclude: ['drafts/**'],
  rewrites: { 'guide/old.md': 'guide/renamed.md' },
  head: [['link', { rel: 'icon', href: '/square.svg' }]],
  markdown: { lineNumbers: true },
  locales: {
    root: { label: 'English', lang: 'en' },
    de: { label: 'Deutsch', lang: 'de' },
  },
  themeConfig: {
    logo: '/square.svg',
    nav: [
      { text: 'Guide', link: '/guide/', activeMatch: '/guide/' },
      { text: 'More', items: [{ text: 'Code', link: 'https://github.com/example/harbour' }] },
    ],
    sidebar: {
      '/guide/': [
        {
          text: 'Begin',
          collapsed: false,
          items: [
            { text: 'Start', link: '/guide/' },
            { text: 'Forms', link: '/guide/forms' },
            { text: 'Renamed', link: '/guide/renamed' },
          ],
        },
      ],
    },
    socialLinks: [{ icon: 'github', link: 'https://github.com/example/harbour' }],
    editLink: { pattern: 'https://github.com/example/harbour/edit/main/:path' },
    footer: { message: 'Free.', copyright: 'Harbour' },
    search: { provider: 'local' },
  },
})
