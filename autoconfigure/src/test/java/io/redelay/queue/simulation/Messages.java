package io.redelay.queue.simulation;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Predicate;

import io.redelay.queue.Deduplication;
import io.redelay.queue.ExpiryAction;
import io.redelay.queue.HandlingOptions;
import io.redelay.queue.MessageDeadline;
import io.redelay.queue.MessageTiming;
import io.redelay.queue.QueueHeaders;
import io.redelay.queue.bundle.BundleSummary;
import io.redelay.queue.handle.Delivery;
import io.redelay.queue.message.Envelope;
import io.redelay.queue.message.EnvelopeCodec;
import io.redelay.queue.message.MessageKeys;
import io.redelay.queue.message.NewMessage;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.messaging.Message;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * Chooses what is sent. The payload of each message is its first name, so that a handler
 * knows what it got, also where several were gathered in one.
 */
final class Messages {

	/**
	 * How many payloads gather in one message at most.
	 */
	static final int MOST_GATHERED = 4;

	/**
	 * The header by which jobs choose messages.
	 */
	static final String KIND = "kind";

	static final int KINDS = 3;

	/**
	 * The header by which groups of a topic choose messages. Some messages have none.
	 */
	static final String REGION = "region";

	private static final int REGIONS = 4;

	/**
	 * The header that has the first name of a message, as jobs change payloads.
	 */
	private static final String NAME = "name";

	/**
	 * The beginning of the name of a message of a tick.
	 */
	private static final String TICK = "tick ";

	private static final String JSON = "application/json";

	private static final EnvelopeCodec CODEC = new EnvelopeCodec();

	private final Random random;

	/**
	 * Which features the run has.
	 */
	private final Predicate<String> features;

	private int sent;

	Messages(Random random, Predicate<String> features) {
		this.random = random;
		this.features = features;
	}

	/**
	 * Returns a name that no message had.
	 */
	String name(String kind) {
		return kind + "%04d".formatted(++this.sent);
	}

	/**
	 * Chooses a message, of which one in twenty is poisoned.
	 */
	Sending next() {
		return next(true);
	}

	/**
	 * Chooses a message that is published. A replay gives each one that is kept, whatever
	 * was gathered or replaced, so that a run with replays deduplicates none.
	 */
	Sending published() {
		return next(!this.features.test("replays"));
	}

	private Sending next(boolean mayBeDeduplicated) {
		String uid = name((this.random.nextInt(20) == 0) ? "p" : "m");
		Duration delay = this.random.nextBoolean() ? Duration.ofMillis(this.random.nextInt(20_000)) : null;
		boolean keyed = this.features.test("keys");
		String fairnessKey = chance(keyed, 3) ? "f" + this.random.nextInt(3) : null;
		Integer priority = chance(keyed, 3) ? this.random.nextInt(10) : null;
		int chosen = 1 + this.random.nextInt(3);
		int weight = (fairnessKey != null) ? chosen : 1;
		if (chance(mayBeDeduplicated && this.features.test("deduplication"), 3)) {
			return deduplicated(uid, delay, new MessageKeys(null, fairnessKey, weight, priority, null, false));
		}
		String id = chance(this.features.test("ids"), 3) ? "id" + this.random.nextInt(3) : null;
		// Partitions keep ids apart only among the messages of an ordering key.
		boolean ordered = chance(keyed, 2) && (id == null || !this.features.test("partitions"));
		String orderingKey = ordered ? "o" + this.random.nextInt(3) : null;
		Map<String, Object> headers = new HashMap<>(region(uid));
		if (this.features.test("jobs")) {
			headers.put(KIND, "kind" + this.sent % KINDS);
			headers.put(NAME, uid);
		}
		return sending(uid, id, delay, lifetime(delay),
				new MessageKeys(orderingKey, fairnessKey, weight, priority, null, false), null, headers);
	}

	/**
	 * Chooses a message that is sent with the acknowledgement of another one.
	 */
	Sending step() {
		Duration delay = this.random.nextInt(3) == 0 ? Duration.ofMillis(this.random.nextInt(5000)) : null;
		boolean keyed = this.features.test("keys") && this.random.nextInt(3) == 0;
		return sending(name("n"), null, delay, Envelope.Lifetime.NONE,
				keyed ? new MessageKeys("o" + this.random.nextInt(3), null, 1, null, null, false) : MessageKeys.NONE,
				null);
	}

	/**
	 * Chooses a message of a bundle, which has the headers that {@code BundleTemplate}
	 * adds.
	 */
	Sending member(String queue, String bundle) {
		Duration delay = this.random.nextInt(3) == 0 ? Duration.ofMillis(this.random.nextInt(5000)) : null;
		boolean keyed = this.features.test("keys");
		return sending(name((this.random.nextInt(10) == 0) ? "p" : "g"), null, delay, lifetime(delay),
				new MessageKeys(chance(keyed, 3) ? "o" + this.random.nextInt(3) : null, null, 1, null, null, false),
				null, Map.of(QueueHeaders.BUNDLE, bundle, QueueHeaders.BUNDLE_QUEUE, queue));
	}

	/**
	 * Creates the callback of a bundle.
	 */
	Sending callback() {
		return sending(name("b"), null, null, Envelope.Lifetime.NONE, MessageKeys.NONE, null);
	}

	private boolean chance(boolean feature, int of) {
		return feature && this.random.nextInt(of) == 0;
	}

	/**
	 * Messages of a key have the same times, so that it is known what the key has.
	 */
	private Sending deduplicated(String uid, Duration delay, MessageKeys keys) {
		int number = this.random.nextInt(3);
		String key = "d" + number;
		Deduplication rule = switch (this.random.nextInt(3)) {
			case 0 -> new Deduplication.FirstWins(key, Duration.ofSeconds(3 + 4L * number), number == 1);
			case 1 -> Deduplication.debounce(key, Duration.ofMillis(500 + 1500L * number),
					Duration.ofMillis(1500 + 4500L * number));
			default -> gathering(key, number);
		};
		Duration wait = rule.waitTime();
		return sending(uid, null, (wait != null) ? wait : delay,
				(rule instanceof Deduplication.FirstWins) ? lifetime(delay) : Envelope.Lifetime.NONE, keys, rule,
				region(uid));
	}

	private Map<String, Object> region(String uid) {
		return this.features.test("group filters") ? Map.copyOf(regionOf(uid)) : Map.of();
	}

	private static Deduplication gathering(String key, int number) {
		Deduplication.Aggregate gathers = Deduplication.aggregate(key, Duration.ofSeconds(1 + 3L * number),
				MOST_GATHERED);
		return (number == 2) ? gathers.gracePeriod(Duration.ofMillis(800)) : gathers;
	}

	private Envelope.Lifetime lifetime(Duration delay) {
		if (!chance(this.features.test("expiry"), 3)) {
			return Envelope.Lifetime.NONE;
		}
		boolean drops = this.random.nextBoolean();
		Duration timeToLive = this.random.nextBoolean() ? Duration.ofMillis(1 + this.random.nextInt(15_000)) : null;
		MessageDeadline deadline = this.random.nextBoolean() ? new MessageDeadline(
				((delay != null) ? delay : Duration.ZERO).plusMillis(1 + this.random.nextInt(15_000)), null,
				drops ? ExpiryAction.DROP : ExpiryAction.BURY) : null;
		return Envelope.Lifetime.of(timeToLive, drops && (timeToLive != null || deadline != null), deadline);
	}

	private static Sending sending(String uid, String id, Duration delay, Envelope.Lifetime lifetime, MessageKeys keys,
			Deduplication rule) {
		return sending(uid, id, delay, lifetime, keys, rule, Map.of());
	}

	private static Sending sending(String uid, String id, Duration delay, Envelope.Lifetime lifetime, MessageKeys keys,
			Deduplication rule, Map<String, Object> headers) {
		boolean gathers = rule instanceof Deduplication.Aggregate;
		byte[] payload = ('"' + uid + '"').getBytes(UTF_8);
		Envelope.Options options = Envelope.Options.of(id, headers, null, lifetime,
				Envelope.Keys.of(keys.orderingKey(), keys.fairnessKey(), keys.priority(), Set.of()),
				HandlingOptions.NONE, gathers);
		byte[] envelope = CODEC.write(new Envelope(options, JSON, gathers ? CODEC.list(payload, JSON) : payload));
		MessageTiming timing = (delay != null) ? new MessageTiming(delay, null, null) : null;
		return new Sending(new NewMessage(uid, id, timing, envelope, keys.arePlain() ? null : keys, rule, null, null),
				lifetime, (String) headers.get(KIND));
	}

	/**
	 * Returns the headers by which groups choose a message.
	 */
	static Map<String, String> regionOf(String name) {
		int number = Integer.parseInt(name.substring(1)) % REGIONS;
		return (number != 0) ? Map.of(REGION, "r" + number) : Map.of();
	}

	/**
	 * Returns the tick whose message it is, by the clock of the server, or -1.
	 */
	static long tick(String name) {
		return name.startsWith(TICK) ? Long.parseLong(name.substring(TICK.length())) : -1;
	}

	/**
	 * Returns the message of a tick, of which no sender is known.
	 */
	static Sending ofTick(String name) {
		return sending(name, null, null, Envelope.Lifetime.NONE, MessageKeys.NONE, null);
	}

	/**
	 * Returns the first names of the messages that a handler gets as one.
	 */
	static List<String> names(Delivery delivery) {
		Envelope sent = delivery.sentEnvelope();
		if (sent != null) {
			return names(sent);
		}
		byte[] payload = payload(delivery);
		Object name = delivery.message().getHeaders().get(NAME);
		if (name != null) {
			return List.of(name.toString());
		}
		return (payload[0] == '[') ? CODEC.elements(payload).stream().map(Messages::name).toList()
				: List.of(name(payload));
	}

	/**
	 * Returns what a handler gets.
	 */
	static byte[] payload(Delivery delivery) {
		Envelope sent = delivery.sentEnvelope();
		return (sent != null) ? sent.payload() : (byte[]) delivery.message().getPayload();
	}

	private static List<String> names(Envelope envelope) {
		Object tick = envelope.headers().get(QueueHeaders.TICK);
		if (tick != null) {
			return List.of(TICK + Instant.parse(tick.toString()).toEpochMilli());
		}
		Object name = envelope.headers().get(NAME);
		if (name != null) {
			return List.of(name.toString());
		}
		if (!envelope.aggregate()) {
			return List.of(name(envelope.payload()));
		}
		return CODEC.elements(envelope.payload()).stream().map(Messages::name).toList();
	}

	private static String name(byte[] payload) {
		String quoted = new String(payload, UTF_8);
		return quoted.startsWith("{") ? summary(payload).id() : quoted.substring(1, quoted.length() - 1);
	}

	/**
	 * Reads what the callback of a bundle has.
	 */
	static BundleSummary summary(byte[] payload) {
		return JsonMapper.shared().readValue(payload, BundleSummary.class);
	}

	/**
	 * Returns the idempotency key of a message: some have the same one.
	 */
	static String idempotencyKey(String name) {
		boolean shares = name.startsWith("m") && Integer.parseInt(name.substring(1)) % 2 == 0;
		return shares ? "same" + Integer.parseInt(name.substring(1)) % 3 : name;
	}

	/**
	 * Returns the idempotency key of what a handler gets.
	 */
	static String idempotencyKey(Message<?> message) {
		Object name = message.getHeaders().get(NAME);
		return idempotencyKey((name != null) ? name.toString() : name((byte[]) message.getPayload()));
	}

	/**
	 * A message that is sent.
	 *
	 * @param kind by which jobs choose it, or {@code null}
	 */
	record Sending(NewMessage message, Envelope.Lifetime lifetime, String kind) {

		/**
		 * Returns the copy of a group, by a name of its own.
		 */
		Sending copy(String name) {
			return new Sending(new NewMessage(name, this.message.id(), this.message.timing(), this.message.envelope(),
					this.message.keys(), this.message.deduplication(), null, null), this.lifetime, this.kind);
		}

		String uid() {
			return this.message.uid();
		}

		@Override
		public String toString() {
			MessageKeys keys = this.message.keys();
			return uid() + ((this.message.id() != null) ? " " + this.message.id() : "")
					+ ((keys != null) ? " " + keys.orderingKey() + " " + keys.fairnessKey() + " " + keys.priority()
							: "")
					+ ((this.message.deduplication() != null) ? " " + this.message.deduplication() : "")
					+ (this.lifetime.isLimited() ? " " + this.lifetime : "");
		}

	}

}
