import { Checkbox } from 'antd';
import { useState, type ComponentProps, type ReactNode } from 'react';
import { t } from '../i18n';
import { DiffView } from './lazy';

/** Whether the window has no room for two texts side by side. */
export function isNarrow(): boolean {
  return window.matchMedia('(max-width: 767px)').matches;
}

/** Two texts with their differences, in as many columns as the reader chooses; one column to begin with where there is no room for two. */
export function Compare(props: Omit<ComponentProps<typeof DiffView>, 'unified' | 'onChange'> & { same: ReactNode; children?: ReactNode }) {
  const { same, children, ...shown } = props;
  const [unified, setUnified] = useState(isNarrow);
  return (
    <>
      <Checkbox checked={unified} onChange={(event) => setUnified(event.target.checked)} style={{ marginBottom: 8 }}>
        {t('In one column')}
      </Checkbox>
      {children}
      {props.left === props.right ? same : <DiffView {...shown} unified={unified} />}
    </>
  );
}
