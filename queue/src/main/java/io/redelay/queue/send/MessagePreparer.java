package io.redelay.queue.send;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;

import io.micrometer.observation.ObservationRegistry;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.message.MessageKeys;
import io.redelay.queue.message.NewMessage;
import io.redelay.queue.message.Uids;
import io.redelay.queue.observation.GuardedObservation;
import io.redelay.queue.observation.QueueObservation;
import io.redelay.queue.observation.QueueSendContext;
import io.redelay.queue.observation.QueueSendConvention;
import io.redelay.queue.partition.QueuePartitions;
import org.jspecify.annotations.Nullable;

/**
 * Prepares messages: calls interceptors, begins to observe them, and writes their
 * envelopes.
 */
final class MessagePreparer {

	private final MessageWriter writer;

	private final ObservationRegistry observations;

	private final @Nullable QueueSendConvention convention;

	private final SendInterceptors interceptors;

	private final QueuePartitions partitions;

	private final Uids uids = new Uids();

	MessagePreparer(MessageWriter writer, ObservationRegistry observations, @Nullable QueueSendConvention convention,
			SendInterceptors interceptors, QueuePartitions partitions) {
		this.writer = writer;
		this.observations = observations;
		this.convention = convention;
		this.interceptors = interceptors;
		this.partitions = partitions;
	}

	PreparedMessage prepare(OutboundMessage given, Destination destination) {
		return prepare(given, destination, OutboundMessage::headers);
	}

	private PreparedMessage prepare(OutboundMessage given, Destination destination,
			Function<OutboundMessage, Map<String, Object>> headers) {
		OutboundMessage message = this.interceptors.before(given);
		try {
			if (destination != Destination.QUEUE && message.sending().durability() != null) {
				throw new IllegalArgumentException("'durability' is for messages to queues, and the " + message
						+ " is published to a topic, whose copies are not waited for; leave it out");
			}
			return observed(message, destination, headers.apply(message));
		}
		catch (RuntimeException ex) {
			this.interceptors.failed(message, ex);
			throw ex;
		}
	}

	private PreparedMessage observed(OutboundMessage message, Destination destination, Map<String, Object> given) {
		destination.check(message);
		String uid = this.uids.next();
		if (this.observations.isNoop()) {
			return new PreparedMessage(message, destination, write(uid, message, given, destination),
					GuardedObservation.NONE, this.interceptors);
		}
		Map<String, Object> headers = new LinkedHashMap<>(given);
		QueueSendContext context = new QueueSendContext(message.queue(), (message.id() != null) ? message.id() : uid,
				headers);
		GuardedObservation observation = GuardedObservation.start(() -> QueueObservation.SEND
			.observation(this.convention, new QueueSendConvention(), () -> context, this.observations));
		try {
			return new PreparedMessage(message, destination, write(uid, message, headers, destination), observation,
					this.interceptors);
		}
		catch (RuntimeException ex) {
			observation.fail(ex);
			throw ex;
		}
	}

	private NewMessage write(String uid, OutboundMessage message, Map<String, Object> headers,
			Destination destination) {
		NewMessage entry = this.writer.write(uid, message, headers, destination.settingsOf(message.queue()));
		if (destination == Destination.QUEUE) {
			checkPriority(message, entry);
		}
		return entry;
	}

	private void checkPriority(OutboundMessage message, NewMessage entry) {
		MessageKeys keys = entry.keys();
		if (keys == null || keys.priority() == null || keys.ageing() != null) {
			return;
		}
		String queue = message.queue();
		if (!this.partitions.mayHavePriorities(queue)) {
			throw new IllegalArgumentException("'priority' of the " + message + " cannot be heeded: the queue has "
					+ this.partitions.configured(queue)
					+ " partitions, and a less urgent message of another partition may go before it."
					+ " If priorities within each partition will do, set 'redelay.queue.queues." + queue
					+ ".priority-per-partition' to true");
		}
	}

	/**
	 * Prepares messages that are sent all or none. If one fails, the prepared ones are
	 * abandoned.
	 */
	List<PreparedMessage> prepareAll(Collection<OutboundMessage> messages, Destination destination) {
		return prepareAll(messages, destination, OutboundMessage::headers, BulkSend::check);
	}

	/**
	 * Prepares all messages. If one fails, the prepared ones are abandoned.
	 * @param headers what each is sent with
	 */
	List<PreparedMessage> prepareAll(Collection<OutboundMessage> messages, Destination destination,
			Function<OutboundMessage, Map<String, Object>> headers, Consumer<List<PreparedMessage>> check) {
		List<PreparedMessage> prepared = new ArrayList<>(messages.size());
		try {
			messages.forEach((message) -> prepared.add(prepare(message, destination, headers)));
			check.accept(prepared);
			return prepared;
		}
		catch (RuntimeException ex) {
			prepared.forEach((message) -> message.abandon(ex));
			throw ex;
		}
	}

}
