export function baseOptions() {
  return { nav: { title: 'Harbour' } };
}
