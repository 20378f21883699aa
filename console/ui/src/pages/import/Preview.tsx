import { Alert, Table, Tag } from 'antd';
import type { ImportPreview } from '../../api/configs';
import { Clip, OpeningColumn, TableScroll } from '../../components/common';
import { number, t, type Text } from '../../i18n';

const ACTIONS: Record<ImportPreview['items'][number]['action'], { text: Text; color: string }> = {
  CREATE: { text: 'Created', color: 'success' },
  UPDATE: { text: 'Overwritten', color: 'warning' },
  SAME: { text: 'Unchanged', color: 'default' },
  SKIP: { text: 'Skipped', color: 'default' },
  FAIL: { text: 'Stops here', color: 'error' },
};
/** The server's reasons for which an entry of an archive is left out. */
const REASONS: Record<string, Text> = {
  'not in .metadata.yml': 'Not in the list of the archive',
  'in .metadata.yml, but there is no such file': 'In the list of the archive, but there is no such file',
  'not named <group>/<dataId>': 'Not named <group>/<dataId>',
  'a file of an operating system or a tool': 'A file of an operating system or a tool',
  'its path leads out of the archive': 'Its path leads out of the archive',
  'its name is not UTF-8': 'Its name is not UTF-8',
  'its name is there twice': 'Its name is there twice',
  "its path holds a folder or file '.' or '..' (expected: <group>/<dataId>)": 'Its path holds . or ..',
  'its content is empty': 'Empty',
  'it is encrypted; write the archive without a password': 'It is encrypted; write the archive without a password',
  'it is a symbolic link; write the archive with the file itself': 'It is a symbolic link; write the archive with the file itself',
  'a list of configurations that is not beside the folders of all groups; it is not read': 'A list that is not beside the folders of all groups',
};

/** In the language of the user where it is one of the fixed reasons; the text of a check is shown as the server words it. */
function reasonOf(reason: string): string {
  const known = REASONS[reason];
  return known === undefined ? reason : t(known);
}

/** What is not imported, and why. */
export function LeftOutFiles(props: { files: { path: string; why: string }[] }) {
  return (
    <details className="left-out">
      <summary>{t('Skipped: {n} files', { n: number(props.files.length) })}</summary>
      <TableScroll>
        <Table<{ path: string; why: string }>
          size="small"
          rowKey="path"
          dataSource={props.files}
          pagination={{ pageSize: 10, hideOnSinglePage: true, showSizeChanger: false }}
          columns={[
            { title: t('File'), render: (_, file) => <Clip text={file.path} mono /> },
            { title: t('Why'), render: (_, file) => file.why },
          ]}
        />
      </TableScroll>
    </details>
  );
}

/** What would become of each configuration. */
export function Preview(props: { preview: ImportPreview }) {
  const { preview } = props;
  return (
    <>
      <p role="status" style={{ margin: 0 }}>
        {t('Dry run: {create} would be created, {update} overwritten, {same} unchanged, {skip} skipped', {
          create: number(preview.create),
          update: number(preview.update),
          same: number(preview.same),
          skip: number(preview.skip),
        })}
      </p>
      {preview.fail > 0 && <Alert type="warning" showIcon title={t('{n} exist with another content: the import would stop at the first one. Choose above what to do with them.', { n: preview.fail })} />}
      {(preview.unrecognizedData?.length ?? 0) > 0 && (
        <LeftOutFiles files={preview.unrecognizedData!.map((item) => ({ path: item.itemName, why: reasonOf(item.reason) }))} />
      )}
      <TableScroll>
        <Table
          size="small"
          rowKey={(item) => `${item.groupName} ${item.dataId}`}
          dataSource={preview.items}
          pagination={{ pageSize: 20, hideOnSinglePage: true, showSizeChanger: false }}
          expandable={{
            columnTitle: <OpeningColumn />,
            rowExpandable: (item) => item.diff !== '',
            expandedRowRender: (item) => <pre className="snippet" tabIndex={0}>{item.diff}{item.diffIsCut ? '\n…' : ''}</pre>,
          }}
          columns={[
            { title: t('Data ID'), render: (_, item) => <Clip text={item.dataId} /> },
            { title: t('Group'), render: (_, item) => <Clip text={item.groupName} width={240} /> },
            { title: t('What'), render: (_, item) => <Tag color={ACTIONS[item.action].color}>{t(ACTIONS[item.action].text)}</Tag> },
          ]}
        />
      </TableScroll>
    </>
  );
}
