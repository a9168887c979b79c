package io.redelay.queue.observation;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

import io.micrometer.observation.Observation;
import io.micrometer.tracing.Link;
import io.micrometer.tracing.Span;
import io.micrometer.tracing.TraceContext;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.handler.PropagatingReceiverTracingObservationHandler;
import io.micrometer.tracing.propagation.Propagator;

/**
 * Makes a span of the handling of a message or a batch, as Micrometer does for received
 * messages. Adds links from a batch to all its senders, and from a retry to the first
 * attempt.
 *
 * @since 0.1.0
 */
public final class QueueTracingHandler extends PropagatingReceiverTracingObservationHandler<QueueProcessContext> {

	/**
	 * The attribute of a link that names its target.
	 */
	static final String LINK = "redelay.link";

	/**
	 * A link to the sender of a message of a batch.
	 */
	static final String SENDER = "sender";

	/**
	 * A link from a retry.
	 */
	static final String FIRST_ATTEMPT = "first-attempt";

	/**
	 * Creates a handler.
	 * @param tracer makes the spans
	 * @param propagator reads the sender's context from the headers
	 */
	public QueueTracingHandler(Tracer tracer, Propagator propagator) {
		super(tracer, propagator);
	}

	@Override
	public void onStart(QueueProcessContext context) {
		super.onStart(context);
		TraceContext trace = getRequiredSpan(context).context();
		TraceParent position = TraceParent
			.parse(new TraceParent(trace.traceId(), trace.spanId(), Boolean.TRUE.equals(trace.sampled())).toString());
		if (position != null) {
			context.setTrace(position.toString());
		}
	}

	@Override
	public Span.Builder customizeExtractedSpan(QueueProcessContext context, Span.Builder builder) {
		Map<TraceParent, String> links = new LinkedHashMap<>();
		present(context.getSenders().stream().map(TraceParent::of)).forEach((sender) -> links.put(sender, SENDER));
		present(context.getEarlierAttempts().stream().map(TraceParent::parse))
			.forEach((attempt) -> links.put(attempt, FIRST_ATTEMPT));
		links.forEach((position, what) -> builder.addLink(new Link(context(position), Map.of(LINK, what))));
		return builder;
	}

	private static Stream<TraceParent> present(Stream<TraceParent> positions) {
		return positions.filter(Objects::nonNull);
	}

	private TraceContext context(TraceParent position) {
		return getTracer().traceContextBuilder()
			.traceId(position.traceId())
			.spanId(position.spanId())
			.sampled(position.sampled())
			.build();
	}

	@Override
	public boolean supportsContext(Observation.Context context) {
		return context instanceof QueueProcessContext;
	}

}
