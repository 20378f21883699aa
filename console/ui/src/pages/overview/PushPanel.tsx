import type { PushLatency, PushSample } from '../../api/core';
import { number, t } from '../../i18n';

const WIDTH = 240;
const HEIGHT = 44;

/** A few digits are enough: 0.4 ms, 12 ms, 1.3 s. */
function duration(micros: number): string {
  if (micros >= 1_000_000) return `${number(Math.round(micros / 100_000) / 10)} s`;
  return `${number(micros >= 10_000 ? Math.round(micros / 1000) : Math.round(micros / 100) / 10)} ms`;
}

/** Over all periods; the 99th of a hundred is the worst of them, for they cannot be put together. */
function sum(samples: PushSample[]): { count: number; mean: number; p99: number } {
  const count = samples.reduce((all, sample) => all + sample.count, 0);
  const total = samples.reduce((all, sample) => all + sample.count * sample.meanMicros, 0);
  return { count, mean: count === 0 ? 0 : total / count, p99: Math.max(0, ...samples.map((sample) => sample.p99Micros)) };
}

/** How long changes took until clients had them, as it goes on. */
export function PushPanel(props: { latency: PushLatency }) {
  const { latency } = props;
  return (
    <section className="panel" style={{ marginBottom: 16 }}>
      <h2>{t('From a change to its arrival')} <span className="muted">· {t('last ten minutes')}</span></h2>
      <div className="columns">
        <Line title={t('Configurations')} samples={latency.config} />
        <Line title={t('Services')} samples={latency.service} />
      </div>
    </section>
  );
}

function Line(props: { title: string; samples: PushSample[] }) {
  const { title, samples } = props;
  const all = sum(samples);
  return (
    <div className="push-line">
      <div className="push-words">
        <div className="push-title">{title}</div>
        {all.count === 0 ? (
          <span className="muted">{t('Nothing was pushed')}</span>
        ) : (
          <>
            <b>{duration(all.mean)}</b> <span className="muted">{t('on average')}</span>
            <div className="muted">{t('99 % within {p99} · {n} arrived', { p99: duration(all.p99), n: number(all.count) })}</div>
          </>
        )}
      </div>
      {all.count > 0 && <Sparkline samples={samples} label={t('{title}: 99 % within {p99}', { title, p99: duration(all.p99) })} />}
    </div>
  );
}

function Sparkline(props: { samples: PushSample[]; label: string }) {
  const { samples } = props;
  const top = Math.max(1, ...samples.map((sample) => sample.p99Micros));
  const step = WIDTH / 120;
  const x = (index: number) => WIDTH - (samples.length - index) * step;
  const y = (micros: number) => HEIGHT - 2 - (micros / top) * (HEIGHT - 6);
  return (
    <svg className="sparkline" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={props.label}>
      <line x1="0" x2={WIDTH} y1={HEIGHT - 1.5} y2={HEIGHT - 1.5} />
      {samples.map((sample, index) =>
        sample.count === 0 ? null : (
          <g key={sample.at}>
            <rect className="p99" x={x(index)} width={step * 0.8} y={y(sample.p99Micros)} height={HEIGHT - 2 - y(sample.p99Micros)} />
            <rect className="mean" x={x(index)} width={step * 0.8} y={y(sample.meanMicros)} height={HEIGHT - 2 - y(sample.meanMicros)} />
          </g>
        ),
      )}
    </svg>
  );
}
