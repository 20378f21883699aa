import { DeleteOutlined, PlusOutlined } from '@ant-design/icons';
import { Button, Input } from 'antd';
import { useRef, useState } from 'react';
import { t } from '../i18n';

type Row = { id: number; name: string; value: string };

/** Names and values; undefined is handed on while a name is missing or given twice. */
export function MetadataEditor(props: { value: Record<string, string>; onChange: (value: Record<string, string> | undefined) => void }) {
  const next = useRef(0);
  const [rows, setRows] = useState<Row[]>(() => Object.entries(props.value).map(([name, value]) => ({ id: next.current++, name, value })));
  const change = (all: Row[]) => {
    setRows(all);
    const filled = all.filter((row) => row.name.trim() !== '' || row.value !== '');
    const names = filled.map((row) => row.name.trim());
    const valid = names.every((name) => name !== '') && new Set(names).size === names.length;
    props.onChange(valid ? Object.fromEntries(filled.map((row) => [row.name.trim(), row.value])) : undefined);
  };
  const edit = (id: number, changes: Partial<Row>) => change(rows.map((row) => (row.id === id ? { ...row, ...changes } : row)));
  return (
    <div>
      {rows.map((row) => (
        <div key={row.id} style={{ display: 'flex', gap: 8, marginBottom: 6 }}>
          <Input style={{ width: 200, flex: 'none' }} aria-label={t('Name')} placeholder={t('Name')} value={row.name} onChange={(e) => edit(row.id, { name: e.target.value })} />
          <Input.TextArea rows={1} aria-label={t('Value of {name}', { name: row.name })} placeholder={t('Value')} value={row.value} onChange={(e) => edit(row.id, { value: e.target.value })} />
          <Button type="text" icon={<DeleteOutlined aria-hidden />} aria-label={t('Remove {name}', { name: row.name })} onClick={() => change(rows.filter((other) => other.id !== row.id))} />
        </div>
      ))}
      <Button size="small" icon={<PlusOutlined aria-hidden />} onClick={() => setRows([...rows, { id: next.current++, name: '', value: '' }])}>
        {t('Add')}
      </Button>
    </div>
  );
}
