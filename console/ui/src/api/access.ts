import { call } from './http';

export const access = {
  changePassword: (username: string, newPassword: string) =>
    call<string>('PUT /v3/auth/user', { form: { username, newPassword } }),
};
