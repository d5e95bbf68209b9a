// #region run
export function run() {}
// #endregion run
