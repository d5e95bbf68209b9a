// #region run
export function run() {
  return 1;
}
// #endregion run
