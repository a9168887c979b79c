package io.redelay.queue.observation;

import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import io.redelay.queue.limits.GroupName;

/**
 * Names the observation of a handler {@code messaging.process.duration}, as the semantic
 * conventions of OpenTelemetry for messaging do. Extend it to name it otherwise.
 *
 * @since 0.1.0
 */
public class QueueProcessConvention implements ObservationConvention<QueueProcessContext> {

	@Override
	public String getName() {
		return "messaging.process.duration";
	}

	@Override
	public String getContextualName(QueueProcessContext context) {
		return "process " + GroupName.lowCardinality(context.getQueue());
	}

	@Override
	public KeyValues getLowCardinalityKeyValues(QueueProcessContext context) {
		KeyValues known = QueueObservation.keyValues("process", GroupName.lowCardinality(context.getQueue()));
		String outcome = context.getOutcome();
		return (outcome != null) ? known.and(QueueObservation.LowCardinality.OUTCOME.withValue(outcome)) : known;
	}

	@Override
	public KeyValues getHighCardinalityKeyValues(QueueProcessContext context) {
		return KeyValues.of(QueueObservation.HighCardinality.MESSAGE_ID.withValue(context.getId()));
	}

	@Override
	public boolean supportsContext(Observation.Context context) {
		return context instanceof QueueProcessContext;
	}

}
