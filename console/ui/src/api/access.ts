import { anywhere, type Page } from './configs';
import { call, send } from './http';

export type UserRow = { username: string };
export type RoleRow = { role: string; username: string };
export type Right = { resource: string; action: string };
export type PermissionRow = Right & { role: string };
export type OwnRights = { username: string; kind: string; globalAdmin: boolean; mustChangePassword: boolean; permissions: Right[] };
/** The rights to a type of resource in a namespace, spelled as in permissions: r, w, rw or empty. */
export type NamespaceRights = { namespaceId: string; config: string; naming: string };
export type Rights = OwnRights & { somewhere: string; namespace?: NamespaceRights };
export type Decision = { username: string; globalAdmin: boolean; read: boolean; write: boolean; because: PermissionRow[] };
export type ResourceName = { namespaceId: string; groupName: string; type: 'config' | 'naming'; name: string };

export type Token = {
  id: string;
  name: string;
  scopes: string[];
  createdBy: string;
  createdAt: number;
  expiresAt: number;
  revokedAt: number | null;
};

export type RuleText = { claim: string; value: string; role: string };

/** A rule that gives a role to callers of the issuer; one of the settings has no id and is not changed here. */
export type Rule = RuleText & {
  id: string | null;
  source: 'setting' | 'stored';
  globalAdmin: boolean;
  changedBy: string | null;
  changedAt: number | null;
};

/** What a token is, by the server; {@code source} is the issuer, and empty for a token of the server. */
export type Explained = {
  accepted: boolean;
  refusal: string;
  username: string;
  kind: string;
  source: string;
  subject: string;
  expiresAt: number;
  globalAdmin: boolean;
  rules: string[];
  roles: string[];
  permissions: PermissionRow[];
};

export type AuditEntry = {
  id: number;
  at: number;
  who: string;
  kind: string;
  address: string;
  action: string;
  target: string;
  before: string | null;
  after: string | null;
  detail: string | null;
  node: string | null;
};

export type AuditSearch = { who?: string; action?: string; target?: string; address?: string; from?: number; until?: number };

function searched(search: AuditSearch) {
  const { who, action, target, address } = search;
  return { ...search, who: anywhere(who), action: anywhere(action), target: anywhere(target), address: anywhere(address) };
}

/** The largest page that the server hands out; accounts are read as a whole, page by page. */
const MOST = 500;

async function all<T>(read: (pageNo: number) => Promise<Page<T>>): Promise<T[]> {
  const found: T[] = [];
  for (let page = 1; ; page++) {
    const answer = await read(page);
    found.push(...answer.pageItems);
    if (page >= answer.pagesAvailable || answer.pageItems.length === 0) return found;
  }
}

export const access = {
  users: (signal?: AbortSignal) =>
    all((pageNo) => call<Page<UserRow>>('GET /v3/auth/user/list', { query: { pageNo, pageSize: MOST }, signal })),

  roles: (signal?: AbortSignal) =>
    all((pageNo) => call<Page<RoleRow>>('GET /v3/auth/role/list', { query: { pageNo, pageSize: MOST }, signal })),

  permissions: (signal?: AbortSignal) =>
    all((pageNo) => call<Page<PermissionRow>>('GET /v3/auth/permission/list', { query: { pageNo, pageSize: MOST }, signal })),

  createUser: (username: string, password: string) => call<string>('POST /v3/auth/user', { form: { username, password } }),

  removeUser: (username: string) => call<string>('DELETE /v3/auth/user', { query: { username } }),

  /** Another user's; the own one needs the current password too. */
  changePassword: (username: string, newPassword: string, oldPassword?: string) =>
    call<string>('PUT /v3/auth/user', { form: { username, newPassword, oldPassword } }),

  grantRole: (role: string, username: string) => call<string>('POST /v3/auth/role', { form: { role, username } }),

  revokeRole: (role: string, username: string) => call<string>('DELETE /v3/auth/role', { query: { role, username } }),

  removeRole: (role: string) => call<string>('DELETE /v3/auth/role', { query: { role } }),

  grant: (right: PermissionRow) => call<string>('POST /v3/auth/permission', { form: right }),

  revoke: (right: PermissionRow) => call<string>('DELETE /v3/auth/permission', { query: right }),

  own: (username: string | undefined, signal?: AbortSignal) => call<OwnRights>('GET /v3/auth/access', { query: { username }, signal }),

  rights: (namespaceId: string, signal?: AbortSignal) => call<Rights>('GET /v3/auth/access', { query: { namespaceId: namespaceId || 'public' }, signal }),

  /** Whether a user, or the one who is signed in, may read and change a resource. */
  check: (username: string | undefined, resource: ResourceName, signal?: AbortSignal) =>
    call<Decision>('GET /v3/auth/access/check', { query: { username, ...resource }, signal }),

  tokens: (signal?: AbortSignal) =>
    all((pageNo) => call<Page<Token>>('GET /v3/admin/auth/token/list', { query: { pageNo, pageSize: MOST }, signal })),

  /** The answer holds the secret, which is told this once. */
  createToken: (name: string, scopes: Right[], ttlSeconds: number) =>
    call<Token & { token: string }>('POST /v3/admin/auth/token', {
      form: { name, ttlSeconds, scopes: scopes.map((scope) => `${scope.action} ${scope.resource}`).join('\n') },
    }),

  revokeToken: (id: string) => call<string>('DELETE /v3/admin/auth/token', { query: { id } }),

  explainToken: (token: string) => call<Explained>('POST /v3/admin/auth/token/explain', { form: { token } }),

  rules: (signal?: AbortSignal) =>
    all((pageNo) => call<Page<Rule>>('GET /v3/admin/auth/rule/list', { query: { pageNo, pageSize: MOST }, signal })),

  /** Creates a rule, or replaces the one with the id. */
  saveRule: (rule: RuleText, id?: string | null) =>
    id ? call<Rule>('PUT /v3/admin/auth/rule', { form: { id, ...rule } }) : call<Rule>('POST /v3/admin/auth/rule', { form: rule }),

  removeRule: (id: string) => call<string>('DELETE /v3/admin/auth/rule', { query: { id } }),

  audit: (search: AuditSearch, pageNo: number, pageSize: number, signal?: AbortSignal) =>
    call<Page<AuditEntry>>('GET /v3/admin/auth/audit/list', { query: { ...searched(search), pageNo, pageSize }, signal }),

  async exportAudit(search: AuditSearch): Promise<Blob> {
    const response = await send('GET /v3/admin/auth/audit/export', { query: searched(search) });
    if (!response.ok) throw new Error(await response.text());
    return response.blob();
  },
};
