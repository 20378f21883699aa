import { CopyOutlined, DeleteOutlined, DownloadOutlined, FilterOutlined, PlusOutlined } from '@ant-design/icons';
import { Badge, Button, Input, Pagination, Select, Space, Table, Tag, type TableColumnsType } from 'antd';
import { useEffect, useState } from 'react';
import { configs, type ConfigSummary } from '../api/configs';
import { Dialog } from '../components/Dialog';
import { Clip, Link, Nothing, PageHead, Problem, useAction, useConfirm } from '../components/common';
import { types } from '../editor/languages';
import { moment, number, t, type Text } from '../i18n';
import { idOf, useNamespaces } from '../namespaces';
import { useRemote } from '../remote';
import { useRights } from '../rights';
import { navigate, useQuery, view } from '../router';
import { GrayMarks } from './config/Gray';

const SIZES = [20, 50, 100, 200];

/** A field of the search: what is typed shows at once and reaches the address a little later. */
function SearchField(props: { name: string; label: Text; width: number; main?: boolean }) {
  const [query, change] = useQuery();
  const inAddress = query.get(props.name) ?? '';
  const [typed, setTyped] = useState(inAddress);
  const [sent, setSent] = useState(inAddress);
  if (inAddress !== sent) {
    // The address changed by other means: a link, the way back, a cleared filter.
    setSent(inAddress);
    setTyped(inAddress);
  }
  useEffect(() => {
    if (typed === sent) return;
    const timer = window.setTimeout(() => {
      setSent(typed.trim());
      change({ [props.name]: typed.trim(), page: undefined });
    }, 180);
    return () => window.clearTimeout(timer);
  }, [typed, sent, change, props.name]);
  return (
    <Input
      allowClear
      autoFocus={props.main}
      style={{ width: props.width }}
      aria-label={t(props.label)}
      placeholder={t(props.label)}
      value={typed}
      onChange={(event) => setTyped(event.target.value)}
    />
  );
}

export { SearchField };

export default function ConfigList() {
  const { current, nameOf } = useNamespaces();
  const [query, change] = useQuery();
  const [chosen, setChosen] = useState<ConfigSummary[]>([]);
  const [cloning, setCloning] = useState(false);
  const rights = useRights();
  const mayWrite = rights.allow('writeConfigs');
  const [filters, setFilters] = useState(['content', 'tags', 'app'].some((name) => query.has(name)));
  const action = useAction();
  const confirm = useConfirm();

  const search = {
    namespaceId: current,
    dataId: query.get('q') ?? undefined,
    groupName: query.get('group') ?? undefined,
    content: query.get('content') ?? undefined,
    tags: query.get('tags') ?? undefined,
    types: query.get('type') ?? undefined,
    appName: query.get('app') ?? undefined,
    sort: query.get('sort') ?? undefined,
    order: query.get('order') ?? undefined,
    page: Number(query.get('page') ?? 1),
    size: Number(query.get('size') ?? 50),
  };
  const remote = useRemote(JSON.stringify(search), (signal) => configs.list(search, signal));
  const page = remote.data;
  // The last page may have gone with what was on it.
  useEffect(() => {
    if (page && page.pageItems.length === 0 && page.totalCount > 0 && search.page > 1) change({ page: page.pagesAvailable > 1 ? String(page.pagesAvailable) : undefined });
  }, [page]);
  useEffect(() => setChosen([]), [current]);

  const column = (name: string): Partial<TableColumnsType<ConfigSummary>[number]> => ({
    key: name,
    sorter: true,
    sortOrder: search.sort === name ? (search.order === 'desc' ? 'descend' : 'ascend') : null,
  });
  const columns: TableColumnsType<ConfigSummary> = [
    {
      title: t('Data ID'),
      ...column('dataId'),
      render: (_, c) => (
        <>
          <Link to={view('configs/one', { ns: current, group: c.groupName, dataId: c.dataId })}>
            <Clip text={c.dataId} width="clamp(240px, 30vw, 760px)" />
          </Link>
          <GrayMarks name={{ ...c, namespaceId: current }} releases={c.grayReleases} />
        </>
      ),
    },
    { title: t('Group'), ...column('group'), render: (_, c) => <Clip text={c.groupName} width={240} /> },
    { title: t('Type'), ...column('type'), width: 110, render: (_, c) => c.type && <Tag>{c.type}</Tag> },
    { title: t('Application'), key: 'app', responsive: ['xl'], render: (_, c) => c.appName && <Clip text={c.appName} width={180} /> },
    { title: t('Changed'), ...column('modified'), width: 200, responsive: ['lg'], render: (_, c) => <span className="muted nowrap">{moment(c.modifyTime)}</span> },
  ];

  const removeChosen = () =>
    confirm({
      title: t('Delete {n} configurations?', { n: chosen.length }),
      text: (
        <>
          <p>{t('Clients are notified that they are deleted. Their history is kept.')}</p>
          {chosen.some((c) => c.grayReleases) && <p>{t('Running betas are not deleted: they are served until they are stopped.')}</p>}
          <ul style={{ maxHeight: 220, overflow: 'auto', paddingInlineStart: 20 }}>
            {chosen.slice(0, 50).map((c) => (
              <li key={c.id}><bdi>{c.dataId}</bdi> <span className="muted">{c.groupName}</span></li>
            ))}
          </ul>
        </>
      ),
      button: t('Delete'),
      danger: true,
      type: chosen.length > 1 ? String(chosen.length) : undefined,
      run: async () => {
        const done = await action.run(() => configs.removeAll(current, chosen.map((c) => c.id)), t('Deleted'));
        if (done) setChosen([]);
        remote.reload();
      },
    });

  const exportChosen = () =>
    action.run(async () => {
      const blob = await configs.download(current, chosen.map((c) => c.id));
      const link = document.createElement('a');
      link.href = URL.createObjectURL(blob);
      link.download = `cairn-${current}-${new Date().toISOString().slice(0, 19).replace(/:/g, '')}.zip`;
      link.click();
      URL.revokeObjectURL(link.href);
    });

  const used = ['content', 'tags', 'app'].filter((name) => query.has(name)).length;
  return (
    <>
      <PageHead
        title={t('Configurations')}
        sub={page && t('{n} in {namespace}', { n: number(page.totalCount), namespace: nameOf(current) })}
      >
        {mayWrite && (
          <Button type="primary" icon={<PlusOutlined aria-hidden />} onClick={() => navigate(view('configs/new', { ns: current }))}>
            {t('New configuration')}
          </Button>
        )}
      </PageHead>
      <div className="filters" role="search">
        <SearchField name="q" label="Search by data ID" width={300} main />
        <SearchField name="group" label="Group" width={190} />
        <Select
          mode="multiple"
          allowClear
          aria-label={t('Type')}
          placeholder={t('Type')}
          style={{ minWidth: 140, maxWidth: 320 }}
          value={search.types ? search.types.split(',') : []}
          options={types.map((type) => ({ value: type, label: type }))}
          onChange={(chosenTypes: string[]) => change({ type: chosenTypes.join(','), page: undefined })}
        />
        <Badge count={used} size="small">
          <Button icon={<FilterOutlined aria-hidden />} aria-expanded={filters} onClick={() => setFilters(!filters)}>
            {t('More filters')}
          </Button>
        </Badge>
        {filters && (
          <>
            <SearchField name="content" label="Content contains" width={220} />
            <SearchField name="tags" label="Tags" width={160} />
            <SearchField name="app" label="Application" width={160} />
          </>
        )}
      </div>
      {chosen.length > 0 && (
        <div className="filters" role="toolbar" aria-label={t('Chosen')}>
          <strong>{t('{n} chosen', { n: chosen.length })}</strong>
          <Space.Compact>
            <Button icon={<DownloadOutlined aria-hidden />} onClick={() => void exportChosen()}>{t('Export')}</Button>
            {rights.writesSomewhere && <Button icon={<CopyOutlined aria-hidden />} onClick={() => setCloning(true)}>{t('Clone')}</Button>}
            {mayWrite && <Button icon={<DeleteOutlined aria-hidden />} danger onClick={removeChosen}>{t('Delete')}</Button>}
          </Space.Compact>
          <Button type="link" onClick={() => setChosen([])}>{t('Choose none')}</Button>
        </div>
      )}
      {remote.error && !remote.error.unreachable ? (
        <Problem error={remote.error} retry={remote.reload} />
      ) : (
        <div className="table-panel" tabIndex={0}>
          <Table<ConfigSummary>
            rowKey={(c) => c.id || `${c.groupName} ${c.dataId}`}
            columns={columns}
            dataSource={page?.pageItems ?? []}
            loading={{ spinning: remote.loading && !page, delay: 150 }}
            pagination={false}
            size="middle"
            showSorterTooltip={false}
            locale={{ emptyText: page ? <NoConfigurations narrowed={used > 0 || ['q', 'group', 'type'].some((name) => query.has(name))} namespace={current} /> : ' ' }}
            rowSelection={{
              preserveSelectedRowKeys: true,
              selectedRowKeys: chosen.map((c) => c.id),
              onChange: (_, rows) => setChosen(rows),
              getCheckboxProps: (c) => ({ 'aria-label': t('Choose {name}', { name: c.dataId }) }) as object,
              getTitleCheckboxProps: () => ({ 'aria-label': t('Choose all on this page') }) as object,
            }}
            onChange={(_, __, sorter) => {
              const by = Array.isArray(sorter) ? sorter[0] : sorter;
              change({ sort: by?.order ? String(by.columnKey) : undefined, order: by?.order === 'descend' ? 'desc' : undefined, page: undefined });
            }}
          />
          {page && page.totalCount > SIZES[0]! && (
            <Pagination
              style={{ padding: '12px 16px' }}
              align="end"
              current={search.page}
              pageSize={search.size}
              total={page.totalCount}
              pageSizeOptions={SIZES}
              showSizeChanger
              showQuickJumper={page.totalCount > 500}
              onChange={(next, size) => change({ page: next > 1 ? String(next) : undefined, size: size === 50 ? undefined : String(size) }, true)}
            />
          )}
        </div>
      )}
      {cloning && <Clone chosen={chosen} from={current} close={() => setCloning(false)} />}
    </>
  );
}

function NoConfigurations(props: { narrowed: boolean; namespace: string }) {
  const mayWrite = useRights().allow('writeConfigs');
  if (props.narrowed) return <Nothing text={t('No configuration matches')} />;
  return (
    <Nothing text={t('This namespace holds no configurations yet.')}>
      {mayWrite && (
        <>
          <Link to={view('configs/new', { ns: props.namespace })}>{t('Create the first one')}</Link>
          {' · '}
          <Link to={view('import', { ns: props.namespace })}>{t('Import a folder or a zip')}</Link>
        </>
      )}
    </Nothing>
  );
}

function Clone(props: { chosen: ConfigSummary[]; from: string; close: () => void }) {
  const { all } = useNamespaces();
  const [target, setTarget] = useState<string>();
  const [policy, setPolicy] = useState('SKIP');
  const action = useAction();
  return (
    <Dialog
      title={t('Clone {n} configurations', { n: props.chosen.length })}
      okText={t('Clone')}
      cancelText={t('Cancel')}
      okButtonProps={{ disabled: target === undefined }}
      onCancel={props.close}
      onOk={async () => {
        const done = await action.run(() => configs.clone(target!, policy, props.chosen), t('Cloned'));
        if (done) props.close();
      }}
    >
      <Space orientation="vertical" style={{ width: '100%' }}>
        <label>
          {t('Into namespace')}
          <Select
            style={{ width: '100%' }}
            showSearch={{ optionFilterProp: 'label' }}
            aria-label={t('Into namespace')}
            value={target}
            onChange={setTarget}
            options={(all.data ?? []).filter((n) => idOf(n) !== props.from).map((n) => ({ value: idOf(n), label: n.namespaceShowName }))}
          />
        </label>
        <PolicyChoice value={policy} onChange={setPolicy} />
      </Space>
    </Dialog>
  );
}

/** What happens to a configuration that is there already. */
export function PolicyChoice(props: { value: string; onChange: (value: string) => void }) {
  return (
    <label>
      {t('When it exists already')}
      <Select
        style={{ width: '100%' }}
        aria-label={t('When it exists already')}
        value={props.value}
        onChange={props.onChange}
        options={[
          { value: 'ABORT_IF_DIFFERENT', label: t('Stop there') },
          { value: 'SKIP', label: t('Keep the existing one') },
          { value: 'OVERWRITE', label: t('Overwrite it') },
        ]}
      />
    </label>
  );
}
