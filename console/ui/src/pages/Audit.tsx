import { DownloadOutlined } from '@ant-design/icons';
import { Button, Empty, Input, Pagination, Table, Tag } from 'antd';
import { access, type AuditEntry, type AuditSearch } from '../api/access';
import { Clip, Link, OpeningColumn, PageHead, Problem, useAction } from '../components/common';
import { moment, number, t } from '../i18n';
import { useRemote } from '../remote';
import { useQuery } from '../router';
import { viewOf } from './audit/target';
import { SearchField } from './ConfigList';

const PAGE_SIZE = 50;

/** A day as typed, as a moment: its beginning, or with {@code days} that of a later one, in the reader's time zone. */
function dayMillis(day: string | null, days = 0): number | undefined {
  if (!day) return undefined;
  const date = new Date(`${day}T00:00:00`);
  date.setDate(date.getDate() + days);
  return Number.isNaN(date.getTime()) ? undefined : date.getTime();
}

/** Who did what, narrowed by the address's query. */
export default function Audit() {
  const [query, change] = useQuery();
  const action = useAction();
  const page = Number(query.get('page') ?? 1);
  const given = (name: string) => query.get(name) ?? undefined;
  const search: AuditSearch = {
    who: given('who'),
    action: given('action'),
    target: given('target'),
    address: given('address'),
    from: dayMillis(query.get('from')),
    until: dayMillis(query.get('until'), 1),
  };
  const remote = useRemote(`audit ${JSON.stringify(search)} ${page}`, (signal) => access.audit(search, page, PAGE_SIZE, signal));
  const save = () =>
    action.run(async () => {
      const link = document.createElement('a');
      link.href = URL.createObjectURL(await access.exportAudit(search));
      link.download = 'cairn-audit.jsonl';
      link.click();
      URL.revokeObjectURL(link.href);
    });
  return (
    <>
      <PageHead title={t('Audit log')} sub={remote.data && t('{n} entries', { n: number(remote.data.totalCount) })}>
        <Button icon={<DownloadOutlined aria-hidden />} onClick={() => void save()}>{t('Export')}</Button>
      </PageHead>
      <div className="filters" role="search">
        <SearchField name="who" label="Who" width={150} main />
        <SearchField name="action" label="Action, such as login" width={190} />
        <SearchField name="target" label="Target" width={200} />
        <SearchField name="address" label="From address" width={150} />
        <div className="row">
          <label className="row">{t('From day')} <Input type="date" style={{ width: 150 }} value={query.get('from') ?? ''} onChange={(e) => change({ from: e.target.value, page: undefined })} /></label>
          <label className="row">{t('To day')} <Input type="date" style={{ width: 150 }} value={query.get('until') ?? ''} onChange={(e) => change({ until: e.target.value, page: undefined })} /></label>
        </div>
      </div>
      {remote.error && !remote.error.unreachable ? (
        <Problem error={remote.error} retry={remote.reload} />
      ) : (
        <div className="table-panel" tabIndex={0}>
          <Table<AuditEntry>
            rowKey="id"
            size="small"
            dataSource={remote.data?.pageItems ?? []}
            loading={{ spinning: remote.loading && !remote.data, delay: 150 }}
            pagination={false}
            locale={{ emptyText: <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description={t('Nothing found')} /> }}
            expandable={{
              columnTitle: <OpeningColumn />,
              rowExpandable: (e) => !!(e.before || e.after || e.detail || e.node),
              expandedRowRender: (e) => (
                <dl className="kv">
                  {e.detail && <><dt>{t('Detail')}</dt><dd><bdi>{e.detail}</bdi></dd></>}
                  {e.before && <><dt>{t('MD5 before')}</dt><dd className="mono">{e.before}</dd></>}
                  {e.after && <><dt>{t('MD5 after')}</dt><dd className="mono">{e.after}</dd></>}
                  {e.node && <><dt>{t('Node')}</dt><dd className="mono">{e.node}</dd></>}
                </dl>
              ),
            }}
            columns={[
              { title: t('When'), render: (_, e) => <span style={{ whiteSpace: 'nowrap' }}>{moment(e.at)}</span> },
              { title: t('Who'), render: (_, e) => <span className="row" style={{ flexWrap: 'nowrap' }}><Clip text={e.who || t('Unknown user')} width={180} /> {e.kind !== 'USER' && <Tag>{e.kind === 'ANONYMOUS' ? t('not signed in') : e.kind.toLowerCase()}</Tag>}</span> },
              { title: t('What'), render: (_, e) => <span className="mono">{e.action}</span> },
              { title: t('Target'), render: (_, e) => <Target entry={e} /> },
              { title: t('From'), render: (_, e) => <span className="mono">{e.address}</span> },
            ]}
          />
          {remote.data && remote.data.totalCount > PAGE_SIZE && (
            <Pagination style={{ padding: '12px 16px' }} align="end" current={page} pageSize={PAGE_SIZE} total={remote.data.totalCount} showSizeChanger={false} onChange={(next) => change({ page: next > 1 ? String(next) : undefined }, true)} />
          )}
        </div>
      )}
    </>
  );
}

/** The target of an action, with a link where the console has a page for it. */
function Target(props: { entry: AuditEntry }) {
  const { action, target, kind } = props.entry;
  // The server stores no user for a person of an issuer.
  const to = kind === 'OIDC' && action === 'login' ? undefined : viewOf(action, target);
  const text = <Clip text={target} width="clamp(160px, 26vw, 560px)" mono />;
  return to ? <Link to={to}>{text}</Link> : text;
}
