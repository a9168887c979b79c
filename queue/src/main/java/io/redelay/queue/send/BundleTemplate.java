package io.redelay.queue.send;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.redelay.queue.Deduplication;
import io.redelay.queue.MessageSendException;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueHeaders;
import io.redelay.queue.SendOutcomeUnknownException;
import io.redelay.queue.SendResult;
import io.redelay.queue.bundle.Bundle;
import io.redelay.queue.bundle.BundleCallback;
import io.redelay.queue.bundle.BundleEndedException;
import io.redelay.queue.bundle.BundleResultBounds;
import io.redelay.queue.bundle.FirstDeath;
import io.redelay.queue.bundle.MessageBundles;
import io.redelay.queue.limits.QueueName;
import io.redelay.queue.message.BundleMembership;
import io.redelay.queue.message.EnvelopeCodec;
import io.redelay.queue.message.NewMessage;
import io.redelay.queue.message.NextMessage;
import io.redelay.queue.message.Uids;
import io.redelay.queue.request.OutcomeUnknownException;
import io.redelay.queue.request.RequestBatchers;
import io.redelay.queue.request.StoreException;
import io.redelay.queue.script.admin.BundleCommand;
import io.redelay.queue.script.admin.BundleScript;
import io.redelay.queue.script.admin.BundleScripts;

import org.springframework.util.Assert;

/**
 * Sends bundles of messages: the messages of one request are counted by the bundle in the
 * step that sends them to their queues, or stores them at the queue of the callback, from
 * where they are relayed.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class BundleTemplate implements MessageBundles {

	private static final long MAX_BYTES = 4L * 1024 * 1024;

	private final QueueTemplate template;

	private final EnvelopeCodec codec;

	private final RequestBatchers<BundleCommand, BundleScript.Result> commands;

	private final Consumer<String> relay;

	private final Uids uids = new Uids();

	/**
	 * Creates a template.
	 * @param template prepares messages
	 * @param codec writes envelopes
	 * @param scripts the scripts of bundles
	 * @param relay called with each queue whose outbox has messages of bundles to relay;
	 * must be quick
	 */
	public BundleTemplate(QueueTemplate template, EnvelopeCodec codec, BundleScripts scripts, Consumer<String> relay) {
		this.template = template;
		this.codec = codec;
		this.commands = scripts.bundle().batchers();
		this.relay = relay;
	}

	@Override
	public Bundle send(BundleCallback callback, Collection<OutboundMessage> messages) {
		Handle bundle = handle(callback);
		List<PreparedMessage> first = firstDeath(bundle, callback);
		List<PreparedMessage> prepared;
		try {
			prepared = prepare(bundle, messages);
		}
		catch (RuntimeException ex) {
			first.forEach((message) -> message.abandon(ex));
			throw ex;
		}
		CommittedStep.run(this.template, Stream.concat(first.stream(), prepared.stream()).toList(), () -> opening(first,
				() -> request(bundle, opening(bundle, callback, first), prepared, BundleCommand.close(bundle.id()))));
		return bundle;
	}

	@Override
	public Bundle open(BundleCallback callback) {
		Handle bundle = handle(callback);
		List<PreparedMessage> first = firstDeath(bundle, callback);
		CommittedStep.run(this.template, first,
				() -> opening(first, () -> request(bundle, List.of(opening(bundle, callback, first)))));
		return bundle;
	}

	@Override
	public Bundle bundle(String queue, String id) {
		return handle(BundleCallback.to(queue).id(id));
	}

	private Handle handle(BundleCallback callback) {
		return new Handle(callback.queue(), (callback.id() != null) ? callback.id() : this.uids.next());
	}

	/**
	 * Prepares the message that is sent at the first death, if there is one.
	 */
	private List<PreparedMessage> firstDeath(Handle bundle, BundleCallback callback) {
		OutboundMessage message = callback.firstDeathMessage();
		headersOf(bundle, callback); // refused before anything waits
		return (message != null) ? prepare(bundle, List.of(message)) : List.of();
	}

	/**
	 * Opens a bundle. The message for its first death is kept with it, and not sent yet.
	 */
	private static void opening(List<PreparedMessage> first, Runnable request) {
		try {
			request.run();
		}
		catch (RuntimeException ex) {
			first.forEach((message) -> message.abandon(ex));
			throw ex;
		}
		first.forEach((message) -> message.kept());
	}

	private BundleCommand opening(Handle bundle, BundleCallback callback, List<PreparedMessage> first) {
		BundleResultBounds results = callback.results();
		byte[] note = first.isEmpty() ? null
				: BundleCommand.NewMember.of(this.template.choose(first).get(0), first.get(0).entry()).note();
		return BundleCommand.open(bundle.id(), callback.longestOpen(), this.uids.next(),
				this.codec.writeBeginning(headersOf(bundle, callback)),
				new BundleCommand.Wants(callback.firstDeath() == FirstDeath.CANCEL_REST,
						(results != null) ? results.each().toBytes() : 0,
						(results != null) ? results.together().toBytes() : 0, note));
	}

	private static Map<String, Object> headersOf(Handle bundle, BundleCallback callback) {
		OutboundMessage message = OutboundMessage.to(bundle.queue(), "");
		for (Map.Entry<String, Object> header : callback.headers().entrySet()) {
			message = message.header(header.getKey(), header.getValue());
		}
		return bundle.headers(message);
	}

	private List<PreparedMessage> prepare(Handle bundle, Collection<OutboundMessage> messages) {
		return this.template.prepareAll(messages, bundle::headers,
				(prepared) -> prepared.forEach(BundleTemplate::check));
	}

	private static void check(PreparedMessage prepared) {
		OutboundMessage message = prepared.message();
		Assert.isTrue(!(prepared.entry().deduplication() instanceof Deduplication.Aggregate), () -> message
				+ " cannot be sent in a bundle, nor at its first death, for its payload would gather with others in one message,"
				+ " which ends but once; send it by itself, or leave the deduplication out");
		Assert.isTrue(message.sending().durability() == null,
				() -> message + " cannot be sent in a bundle and wait for copies: the step that counts it in the bundle"
						+ " waits for none, and may leave it to be sent later; leave the durability out");
	}

	private void request(Handle bundle, BundleCommand first, List<PreparedMessage> messages, BundleCommand last) {
		List<List<PreparedMessage>> parts = parts(messages);
		for (int i = 0; i < parts.size(); i++) {
			List<BundleCommand> requested = new ArrayList<>();
			if (i == 0) {
				requested.add(first);
			}
			add(bundle, requested, parts.get(i), (i == parts.size() - 1) ? List.of(last) : List.of());
		}
		if (parts.isEmpty()) {
			request(bundle, List.of(first, last));
		}
	}

	/**
	 * Adds messages that go together, between other commands.
	 */
	private void add(Handle bundle, List<BundleCommand> before, List<PreparedMessage> messages,
			List<BundleCommand> after) {
		BundleScript.Result reply;
		try {
			List<BundleCommand> all = new ArrayList<>(before);
			all.add(adding(bundle, messages));
			all.addAll(after);
			reply = request(bundle, all);
		}
		catch (RuntimeException ex) {
			messages.forEach((message) -> message.abandon(ex));
			throw ex;
		}
		messages.forEach((message) -> sent(message, reply.time()));
		if (reply.follows()) {
			this.relay.accept(bundle.queue());
		}
	}

	private static void sent(PreparedMessage message, Instant time) {
		message.kept();
		message.sent(new SendResult(message.message().queue(), message.id(), message.due(time), false));
	}

	private BundleCommand adding(Handle bundle, List<PreparedMessage> messages) {
		List<String> partitions = this.template.choose(messages);
		BundleMembership membership = new BundleMembership(bundle.queue(), bundle.id());
		List<NextMessage> next = new ArrayList<>(messages.size());
		boolean direct = true;
		for (int i = 0; i < messages.size(); i++) {
			NewMessage message = messages.get(i).entry().inBundle(membership);
			next.add(new NextMessage(partitions.get(i), message, null));
			direct = direct && isDirect(partitions.get(i), message);
		}
		if (direct) {
			new HashSet<>(partitions).forEach(this.template::sentTo); // else the relay
																		// does
		}
		List<BundleCommand.NewMember> members = new ArrayList<>(next.size());
		for (NextMessage each : next) {
			members.add(new BundleCommand.NewMember(each, direct));
		}
		return BundleCommand.add(bundle.id(), members);
	}

	/**
	 * Returns whether a message may be sent in the step that adds it to the bundle. One
	 * whose queue may refuse it or already have it, that must not overtake another one,
	 * or that is announced first as it has a time to live, waits for its turn in the
	 * outbox, and those that are added with it as well.
	 */
	private boolean isDirect(String partition, NewMessage message) {
		return message.id() == null && message.deduplication() == null
				&& (message.keys() == null || message.keys().orderingKey() == null)
				&& !EnvelopeCodec.expires(message.envelope()) && this.template.limit(partition) == null;
	}

	private BundleScript.Result request(Handle bundle, List<BundleCommand> requested) {
		BundleScript.Result reply = await(bundle, this.commands.submit(bundle.queue(), requested, true));
		if (reply.answers().contains(BundleScript.Result.UNKNOWN)) {
			throw new BundleEndedException(bundle + " has ended, or never was: all its messages had ended and it was"
					+ " closed, or it was open for too long. Add to it while it is open, or in the handler of one of"
					+ " its messages");
		}
		return reply;
	}

	private static BundleScript.Result await(Handle bundle, CompletableFuture<BundleScript.Result> reply) {
		try {
			return MessageTransmitter.await(reply.exceptionally((thrown) -> {
				throw failure(bundle, thrown);
			}));
		}
		catch (IllegalStateException ex) {
			throw new MessageSendException(bundle + " was not changed: " + ex.getMessage(), ex);
		}
	}

	private static MessageSendException failure(Handle bundle, Throwable thrown) {
		Throwable cause = StoreException.cause(thrown);
		if (cause instanceof OutcomeUnknownException) {
			return new SendOutcomeUnknownException(
					bundle + ": it is unknown whether Redis has taken what was sent in it, for no answer came: "
							+ cause.getMessage(),
					cause);
		}
		return new MessageSendException(bundle + " took nothing: " + cause.getMessage(), cause);
	}

	/**
	 * Divides messages into parts, one for each request.
	 */
	private static List<List<PreparedMessage>> parts(List<PreparedMessage> messages) {
		List<List<PreparedMessage>> parts = new ArrayList<>();
		long bytes = 0;
		for (PreparedMessage message : messages) {
			bytes += message.size();
			List<PreparedMessage> last = parts.isEmpty() ? null : parts.get(parts.size() - 1);
			if (last == null || last.size() == BundleScript.MAX_MEMBERS || bytes > MAX_BYTES) {
				last = new ArrayList<>();
				parts.add(last);
				bytes = message.size();
			}
			last.add(message);
		}
		return parts;
	}

	/**
	 * A bundle, by its name.
	 */
	private final class Handle implements Bundle {

		private final String queue;

		private final String id;

		Handle(String queue, String id) {
			this.queue = QueueName.check(queue);
			this.id = id;
		}

		@Override
		public String queue() {
			return this.queue;
		}

		@Override
		public String id() {
			return this.id;
		}

		/**
		 * The headers of a message of the bundle, or of its callback.
		 */
		Map<String, Object> headers(OutboundMessage message) {
			Map<String, Object> headers = new LinkedHashMap<>(message.headers());
			headers.put(QueueHeaders.BUNDLE, this.id);
			headers.put(QueueHeaders.BUNDLE_QUEUE, this.queue);
			return headers;
		}

		@Override
		public List<String> add(Collection<OutboundMessage> messages) {
			List<PreparedMessage> prepared = prepare(this, messages);
			CommittedStep.run(BundleTemplate.this.template, prepared, () -> {
				for (List<PreparedMessage> part : parts(prepared)) {
					BundleTemplate.this.add(this, List.of(), part, List.of());
				}
			});
			return prepared.stream().map(PreparedMessage::id).toList();
		}

		@Override
		public void cancelRest() {
			CommittedStep.run(BundleTemplate.this.template, List.of(), () -> {
				request(this, List.of(BundleCommand.cancelRest(this.id)));
				BundleTemplate.this.relay.accept(this.queue);
			});
		}

		@Override
		public void close() {
			CommittedStep.run(BundleTemplate.this.template, List.of(),
					() -> request(this, List.of(BundleCommand.close(this.id))));
		}

		@Override
		public String toString() {
			return "The bundle '" + this.id + "' with a callback to the queue '" + this.queue + "'";
		}

	}

}
