package io.redelay.queue.wire;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import io.redelay.queue.idempotency.RunOnceScript;
import io.redelay.queue.message.ClaimLimits;
import io.redelay.queue.message.NewMessage;
import io.redelay.queue.message.OutboxNote;
import io.redelay.queue.message.Settlement;
import io.redelay.queue.request.CopiesRequest;
import io.redelay.queue.request.LaneStatus;
import io.redelay.queue.request.ReplayMemory;
import io.redelay.queue.request.SendReply;
import io.redelay.queue.request.SendRequest;
import io.redelay.queue.request.SenderState;
import io.redelay.queue.script.ClaimReply;
import io.redelay.queue.script.ClaimRequest;
import io.redelay.queue.script.OutboxScript;
import io.redelay.queue.script.QueueScripts;
import io.redelay.queue.script.RenewLaneScript;
import io.redelay.queue.script.ResumeScript;
import io.redelay.queue.script.ScriptListeners;

/**
 * Stands for Redis in tests without a server: it reads the keys and arguments of scripts,
 * and writes replies as the scripts do. A subclass overrides the verbs that it knows; the
 * others have no reply.
 */
public abstract class FakeStore {

	private static final String PREFIX = "redelay";

	private QueueScripts scripts;

	/**
	 * The scripts that run on this store.
	 */
	public final synchronized QueueScripts scripts() {
		if (this.scripts == null) {
			ReplayMemory memory = replayMemory();
			this.scripts = new QueueScripts(new ScriptRunner(PREFIX, new Executor()), new Source(), memory.scheduler(),
					memory, new RedisAvailability(memory.scheduler(), Duration.ofSeconds(1), Duration.ofMinutes(1)),
					ScriptListeners.none());
		}
		return this.scripts;
	}

	protected String instance() {
		return "fake";
	}

	/**
	 * Returns whether each queue is on a server of its own, so that no request looks at
	 * many queues.
	 */
	protected boolean isClustered() {
		return true;
	}

	protected ReplayMemory replayMemory() {
		return ReplayMemory.NONE;
	}

	protected CompletableFuture<Void> register(String queue) {
		return unknown();
	}

	protected CompletableFuture<Void> openSender(String queue, String lane) {
		return unknown();
	}

	protected CompletableFuture<SendReply> send(String queue, SendRequest request) {
		return unknown();
	}

	protected CompletableFuture<SenderState> checkSender(String queue, String lane) {
		return unknown();
	}

	protected CompletableFuture<Void> openLane(String queue, String lane, Duration lease, long before) {
		return unknown();
	}

	protected CompletableFuture<ResumeScript.Reply> resume(String queue, ResumeScript.Request request) {
		return unknown();
	}

	/**
	 * Settles and claims. Acknowledgements come first, and a completion is not read.
	 */
	protected CompletableFuture<ClaimReply> claim(String queue, ClaimRequest request) {
		return unknown();
	}

	protected CompletableFuture<RenewLaneScript.Reply> renewLane(String queue, String lane, Duration lease,
			long answered) {
		return unknown();
	}

	protected CompletableFuture<Void> closeLane(String queue, String lane) {
		return unknown();
	}

	protected CompletableFuture<Set<String>> findCancelled(String queue, List<String> uids) {
		return unknown();
	}

	protected CompletableFuture<OutboxScript.Reply> outbox(String queue, OutboxScript.Request request) {
		return unknown();
	}

	protected CompletableFuture<RunOnceScript.Reply> runs(String queue, RunOnceScript.Request request) {
		return unknown();
	}

	/**
	 * Called for any other script.
	 */
	protected CompletableFuture<?> other(String script) {
		return CompletableFuture.failedFuture(new UnsupportedOperationException(script));
	}

	protected WakeUpSource.Subscription subscribe(WakeUpSource.Listener listener) {
		return () -> {
		};
	}

	private static <T> CompletableFuture<T> unknown() {
		return CompletableFuture.failedFuture(new UnsupportedOperationException());
	}

	private CompletableFuture<?> run(Script script, String key, Words args) {
		String queue = key.contains("{") ? key.substring(key.indexOf('{') + 1, key.indexOf('}')) : "";
		return switch (script) {
			case REGISTER -> register(args.text()).thenApply((done) -> List.of());
			case OPEN_SENDER -> openSender(queue, lane(key)).thenApply((done) -> List.of());
			case SEND -> send(queue, sendRequest(lane(key), args)).thenApply(FakeStore::reply);
			case CHECK_SENDER -> checkSender(queue, lane(key))
				.thenApply((reply) -> List.of(reply.status().name(), reply.time().toEpochMilli(), reply.last()));
			case OPEN_LANE ->
				openLane(queue, args.text(), args.millis(), args.skip().number()).thenApply((done) -> List.of());
			case RESUME -> resume(queue, resumeRequest(args)).thenApply(FakeStore::reply);
			case CLAIM -> claim(queue, claimRequest(args)).thenApply(FakeStore::reply);
			case RENEW_LANE ->
				renewLane(queue, args.text(), args.millis(), args.number()).thenApply((reply) -> reply.alive()
						? List.of("OK", ScriptWords.flag(reply.someCancelled())) : List.of("GONE"));
			case CLOSE_LANE -> closeLane(queue, args.text()).thenApply((done) -> List.of());
			case IS_CANCELLED -> {
				List<String> uids = args.rest();
				yield findCancelled(queue, uids)
					.thenApply((found) -> uids.stream().map(found::contains).map(ScriptWords::flag).toList());
			}
			case OUTBOX -> outbox(queue, outboxRequest(args)).thenApply(FakeStore::reply);
			case RUN_ONCE -> runs(queue, runRequest(args)).thenApply(FakeStore::reply);
			default -> other(script.file());
		};
	}

	/**
	 * The lane to send on, which is the last part of its key.
	 */
	private static String lane(String key) {
		return key.substring(key.lastIndexOf(':') + 1);
	}

	/**
	 * Reads a request to send.
	 * @param keys the keys of the script
	 * @param args its arguments
	 */
	public static SendRequest sendRequest(List<Object> keys, Object[] args) {
		return sendRequest(lane(keys.get(0).toString()), new Words(args));
	}

	private static SendRequest sendRequest(String lane, Words args) {
		long seq = args.number();
		boolean renews = !args.text().isEmpty();
		List<NewMessage> messages = new ArrayList<>();
		int own = 8;
		for (ByteBuffer packed = ByteBuffer.wrap((byte[]) args.skip().next()); packed.hasRemaining();) {
			byte[] head = new byte[packed.getShort()];
			packed.get(head);
			int length = packed.getInt();
			ByteBuffer body = (length > 0) ? packed : ((ByteBuffer) args.args[own++]).duplicate();
			byte[] envelope = new byte[((length > 0) ? length : body.remaining()) + 1];
			envelope[0] = '{';
			body.get(envelope, 1, envelope.length - 1);
			messages.add(message(new String(head, StandardCharsets.UTF_8), envelope));
		}
		boolean again = args.hasNext() && args.skip().hasNext() && !args.text().isEmpty();
		return new SendRequest(lane, seq, renews, messages, null, again, false);
	}

	private static NewMessage message(String head, byte[] envelope) {
		String[] words = head.split("\0", 4);
		String when = (words.length > 1) ? words[1] : "";
		String id = (words.length > 2 && !words[2].isEmpty()) ? words[2] : null;
		Long millis = when.isEmpty() ? null : Long.valueOf(when.substring(1));
		boolean delayed = when.startsWith("+");
		return new NewMessage(words[0], id, (millis != null && delayed) ? Duration.ofMillis(millis) : null,
				(millis != null && !delayed) ? Instant.ofEpochMilli(millis) : null, envelope);
	}

	private static byte[] reply(SendReply reply) {
		return utf8(reply.status() + " " + reply.time().toEpochMilli());
	}

	private static ResumeScript.Request resumeRequest(Words args) {
		String lane = args.text();
		long seq = args.number();
		Duration lease = args.millis();
		String former = args.text();
		boolean wentBack = args.text().equals(ScriptWords.WENT_BACK);
		boolean last = args.text().equals(ScriptWords.YES);
		List<ResumeScript.Holding> holdings = new ArrayList<>();
		while (args.hasNext()) {
			String uid = args.text();
			long claim = args.number();
			String word = args.text();
			boolean comesBack = word.equals(ScriptWords.COMES_BACK);
			holdings.add(new ResumeScript.Holding(uid, claim, !comesBack && !word.equals(ScriptWords.HELD),
					word.equals(ScriptWords.DONE_WITH_MORE), comesBack));
		}
		return new ResumeScript.Request(lane, seq, lease, former, wentBack, last, holdings);
	}

	private static byte[] reply(ResumeScript.Reply reply) {
		String status = reply.status().name();
		return utf8((reply.status() == LaneStatus.OK)
				? words(status, 0, reply.givenBack(), String.join(" ", reply.refused())) : status);
	}

	private static ClaimRequest claimRequest(Words args) {
		String lane = args.text();
		long seq = args.number();
		Duration lease = args.millis();
		int wanted = Integer.parseInt(args.text().split(" ")[0]);
		int maxBytes = (int) args.number();
		boolean suspect = args.text().startsWith(ScriptWords.YES);
		String[] sleep = args.text().split(" ");
		List<Settlement> settlements = new ArrayList<>();
		long claim = 0;
		for (String word : args.skip().text().split(" ")) {
			if (word.isEmpty()) {
				continue;
			}
			if (word.charAt(0) == ScriptWords.CLAIM) {
				claim = Long.parseLong(word.substring(1));
			}
			else {
				settlements.add(Settlement.ack(word, claim));
			}
		}
		while (args.hasNext()) {
			settlements.add(settlement(args));
		}
		return new ClaimRequest(new ClaimRequest.Terms(lane, lease, ClaimLimits.NONE), seq, wanted, maxBytes, suspect,
				Duration.ofMillis(Long.parseLong(sleep[0])), settlements,
				(sleep.length > 1) ? Instant.ofEpochMilli(Long.parseLong(sleep[1])) : null);
	}

	private static Settlement settlement(Words args) {
		String[] verb = args.text().split(ScriptWords.TRACE, 2);
		Settlement.Action action = Stream.of(Settlement.Action.values())
			.filter((each) -> each.verb().equals(verb[0]))
			.findFirst()
			.orElseThrow();
		return new Settlement(action, args.text(), args.number(), args.millis(),
				(args.next() instanceof String cause) ? cause : "", null, (verb.length > 1) ? verb[1] : null);
	}

	private static List<Object> reply(ClaimReply reply) {
		if (reply.status() != LaneStatus.OK) {
			return List.of(utf8(words(reply.status(), reply.time().toEpochMilli(), reply.remembered())));
		}
		List<String> marks = new ArrayList<>(reply.refused());
		if (reply.hasNotes()) {
			marks.add(ScriptWords.NOTES);
		}
		if (reply.limited()) {
			marks.add(ScriptWords.LIMITS);
		}
		reply.moves().cancelled().forEach((uid) -> marks.add(ScriptWords.WAS_CANCELLED + uid));
		List<Object> all = new ArrayList<>();
		all.add(utf8(words("OK", reply.time().toEpochMilli(), (reply.next() != null) ? reply.next().toMillis() : -1,
				String.join(" ", marks))));
		reply.messages().forEach((message) -> add(message, all));
		return all;
	}

	private static void add(ClaimReply.Message message, List<Object> reply) {
		String words = words(message.uid(), message.failures(), message.crashes());
		if (message.suspect()) {
			words += " " + ScriptWords.SUSPECT;
		}
		if (message.rowOf() != null) {
			words += " " + ScriptWords.ROW + message.rowOf();
		}
		if (message.firstAttempt() != null) {
			words += " " + ScriptWords.TRACE + message.firstAttempt();
		}
		if (message.checkpoint() != null) {
			words += " " + ScriptWords.CHECKPOINT;
		}
		reply.add(words);
		reply.add(message.envelope());
		if (message.checkpoint() != null) {
			reply.add(message.checkpoint());
		}
	}

	private static OutboxScript.Request outboxRequest(Words args) {
		String instance = args.text();
		long number = args.number();
		Duration lease = args.millis();
		String after = args.text();
		String until = args.text();
		return new OutboxScript.Request(instance, number, lease, after.equals(ScriptWords.FIRST_NOTE) ? null : after,
				until.equals(ScriptWords.LAST_NOTE) ? null : until, (int) args.number(), args.rest());
	}

	private static List<Object> reply(OutboxScript.Reply reply) {
		if (reply.busy() != null) {
			return List.of(utf8(words(ScriptWords.BUSY, 0, reply.busy().toMillis())));
		}
		List<Object> all = new ArrayList<>();
		all.add(utf8(words("OK", 0, reply.count(), ScriptWords.flag(reply.unbroken()))));
		for (OutboxNote note : reply.notes()) {
			all.addAll(List.of(note.id(), String.valueOf(note.kind()), note.text()));
		}
		return all;
	}

	private static RunOnceScript.Request runRequest(Words args) {
		String owner = args.text();
		long seq = args.number();
		long answered = args.number();
		String former = args.text();
		Duration lease = args.millis();
		List<RunOnceScript.Step> steps = new ArrayList<>();
		while (args.hasNext()) {
			String verb = args.text();
			RunOnceScript.Step.Action action = Stream.of(RunOnceScript.Step.Action.values())
				.filter((each) -> each.verb().equals(verb))
				.findFirst()
				.orElseThrow();
			steps.add(new RunOnceScript.Step(action, args.text(), args.text(), args.millis()));
		}
		return new RunOnceScript.Request(owner, seq, answered, former.isEmpty() ? null : former, lease, steps);
	}

	private static byte[] reply(RunOnceScript.Reply reply) {
		StringBuilder words = new StringBuilder(reply.status().name());
		for (RunOnceScript.Answer answer : reply.answers()) {
			words.append(' ')
				.append((answer.state() == RunOnceScript.Answer.State.RUNNING)
						? answer.elapsed().toMillis() + "/" + answer.rest().toMillis()
						: answer.state().name().toLowerCase(Locale.ROOT));
		}
		return utf8(words.toString());
	}

	private static String words(Object... words) {
		return String.join(" ", Arrays.stream(words).map(Objects::toString).toList());
	}

	private static byte[] utf8(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	/**
	 * The arguments of a script.
	 */
	private static final class Words {

		private final Object[] args;

		private int position;

		Words(Object[] args) {
			this.args = args;
		}

		boolean hasNext() {
			return this.position < this.args.length;
		}

		Object next() {
			return this.args[this.position++];
		}

		Words skip() {
			next();
			return this;
		}

		String text() {
			return next().toString();
		}

		long number() {
			return Long.parseLong(text().strip());
		}

		Duration millis() {
			return Duration.ofMillis(number());
		}

		List<String> rest() {
			List<String> rest = new ArrayList<>();
			while (hasNext()) {
				rest.add(text());
			}
			return rest;
		}

	}

	private final class Executor implements ScriptExecutor {

		@Override
		public boolean isClustered() {
			return FakeStore.this.isClustered();
		}

		@Override
		public CompletableFuture<?> run(String what, Script script, List<Object> keys, Object[] args) {
			return FakeStore.this.run(script, keys.get(0).toString(), new Words(args));
		}

		@Override
		public CompletableFuture<CopyingScript.Copied> runAndCopy(String what, Script script, List<Object> keys,
				Object[] args, String expiry, CopiesRequest copies) {
			return unknown();
		}

		@Override
		public void close() {
		}

	}

	private final class Source implements WakeUpSource {

		@Override
		public String instance() {
			return FakeStore.this.instance();
		}

		@Override
		public WakeUpSource.Subscription subscribe(WakeUpSource.Listener listener) {
			return FakeStore.this.subscribe(listener);
		}

		@Override
		public void redisIsBack() {
		}

		@Override
		public String prefix() {
			return PREFIX + ":wake:";
		}

	}

}
