package io.redelay.queue.observation;

import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/**
 * Names the observation of a send {@code messaging.client.operation.duration}, as the
 * semantic conventions of OpenTelemetry for messaging do. Extend it to name it otherwise.
 *
 * @since 0.1.0
 */
public class QueueSendConvention implements ObservationConvention<QueueSendContext> {

	@Override
	public String getName() {
		return "messaging.client.operation.duration";
	}

	@Override
	public String getContextualName(QueueSendContext context) {
		return "send " + context.getQueue();
	}

	@Override
	public KeyValues getLowCardinalityKeyValues(QueueSendContext context) {
		return QueueObservation.keyValues("send", context.getQueue());
	}

	@Override
	public KeyValues getHighCardinalityKeyValues(QueueSendContext context) {
		return KeyValues.of(QueueObservation.HighCardinality.MESSAGE_ID.withValue(context.getId()));
	}

	@Override
	public boolean supportsContext(Observation.Context context) {
		return context instanceof QueueSendContext;
	}

}
