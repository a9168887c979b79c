package io.redelay.queue.wire;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;

import io.redelay.log.PlainLog;
import io.redelay.scheduling.AsyncCall;
import io.redelay.scheduling.ScheduledTask;
import io.redelay.scheduling.Scheduler;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;
import org.redisson.api.RTopic;
import org.redisson.api.RedissonClient;
import org.redisson.api.listener.MessageListener;
import org.redisson.api.listener.StatusListener;
import org.redisson.client.codec.StringCodec;

/**
 * The one channel on which an instance is notified that some of its lanes have something
 * to do. It is subscribed to while there is a listener; a failed step is repeated until
 * it works.
 */
public final class WakeUpChannel implements WakeUpSource {

	private static final Log logger = PlainLog.of(WakeUpChannel.class);

	private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);

	private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);

	/**
	 * How long to wait for the client itself, which has its own limits but does not
	 * always keep them.
	 */
	private static final Duration STEP_TIMEOUT = Duration.ofMinutes(1);

	private final RTopic topic;

	private final Function<String, RTopic> topics;

	private final String instance;

	private final String prefix;

	private final Scheduler scheduler;

	private final List<WakeUpSource.Listener> listeners = new CopyOnWriteArrayList<>();

	private final MessageListener<String> messages = (channel, message) -> received(message);

	private boolean changing;

	private boolean subscribed;

	private Duration pause = FIRST_PAUSE;

	/**
	 * The next try of a failed step, if there is one.
	 */
	private @Nullable ScheduledTask nextTry;

	public WakeUpChannel(RedissonClient redisson, String prefix, String instance, Scheduler scheduler) {
		this.topics = (name) -> redisson.getTopic(prefix + name, StringCodec.INSTANCE);
		this.topic = this.topics.apply(instance);
		this.scheduler = scheduler;
		this.instance = instance;
		this.prefix = prefix(this.topic, instance);
	}

	/**
	 * The prefix of the channels of all instances, as Redis knows them.
	 */
	public static String prefix(RedissonClient redisson, String prefix) {
		return prefix(redisson.getTopic(prefix, StringCodec.INSTANCE), "");
	}

	private static String prefix(RTopic topic, String instance) {
		String channel = topic.getChannelNames().get(0);
		return channel.substring(0, channel.length() - instance.length());
	}

	@Override
	public String instance() {
		return this.instance;
	}

	@Override
	public String prefix() {
		return this.prefix;
	}

	@Override
	public WakeUpSource.Subscription subscribe(WakeUpSource.Listener listener) {
		this.listeners.add(listener);
		change();
		return new Subscription(listener);
	}

	@Override
	public void ask(String other, String number, String question) {
		publish(other, ScriptWords.QUESTION + this.instance + ' ' + number + ' ' + question);
	}

	@Override
	public void answer(String asker, String number, String answer) {
		publish(asker, ScriptWords.ANSWER + number + ' ' + this.instance + ' ' + answer);
	}

	private void publish(String other, String notice) {
		AsyncCall.of(() -> this.topics.apply(other).publishAsync(notice).toCompletableFuture())
			.exceptionally((failure) -> {
				logger.debug("The instance '" + other + "' does not get a question or an answer", failure);
				return 0L;
			});
	}

	@Override
	public void redisIsBack() {
		synchronized (this) {
			if (this.nextTry == null) {
				return;
			}
			this.nextTry.cancel();
			this.pause = FIRST_PAUSE;
		}
		tryAgain();
	}

	private synchronized boolean isSubscribed() {
		// What comes while a subscription ends is not heard.
		return this.subscribed && !this.changing;
	}

	private void received(String message) {
		if (message.startsWith(ScriptWords.RESULT)) {
			String id = message.substring(ScriptWords.RESULT.length());
			this.listeners.forEach((listener) -> listener.completed(id));
		}
		else if (message.startsWith(ScriptWords.CANCELLED)) {
			int blank = message.indexOf(' ');
			if (blank > 0) {
				String lane = message.substring(ScriptWords.CANCELLED.length(), blank);
				String uid = message.substring(blank + 1);
				this.listeners.forEach((listener) -> listener.cancelled(lane, uid));
			}
		}
		else if (message.startsWith(ScriptWords.QUESTION)) {
			receivedWords(message, (listener) -> listener::asked);
		}
		else if (message.startsWith(ScriptWords.ANSWER)) {
			receivedWords(message, (listener) -> listener::answered);
		}
		else {
			this.listeners.forEach((listener) -> listener.wakeUp(message));
		}
	}

	/**
	 * Passes the three words behind the mark on; the last one may have blanks.
	 */
	private void receivedWords(String message, Function<WakeUpSource.Listener, Words> receiver) {
		int first = message.indexOf(' ');
		int second = message.indexOf(' ', first + 1);
		if (first > 0 && second > 0) {
			this.listeners.forEach((listener) -> receiver.apply(listener)
				.pass(message.substring(1, first), message.substring(first + 1, second),
						message.substring(second + 1)));
		}
	}

	/**
	 * Takes the next step towards the wanted state, if none is running.
	 */
	private void change() {
		boolean wanted;
		synchronized (this) {
			wanted = !this.listeners.isEmpty();
			if (this.changing || wanted == this.subscribed) {
				return;
			}
			this.changing = true;
		}
		this.scheduler.limit(step(wanted), STEP_TIMEOUT).whenComplete((done, failure) -> changed(wanted, failure));
	}

	/**
	 * Subscribes to the messages first, so that none is missed once the status is known.
	 */
	private CompletableFuture<?> step(boolean subscribe) {
		try {
			CompletableFuture<Void> unsubscribed = this.topic.removeAllListenersAsync().toCompletableFuture();
			return subscribe
					? unsubscribed.thenCompose((removed) -> this.topic.addListenerAsync(String.class, this.messages))
						.thenCompose((added) -> this.topic.addListenerAsync(new Resubscribed()))
					: unsubscribed;
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private void changed(boolean wanted, @Nullable Throwable failure) {
		if (failure == null) {
			synchronized (this) {
				this.changing = false;
				this.subscribed = wanted;
				this.pause = FIRST_PAUSE;
			}
			this.listeners.forEach(WakeUpSource.Listener::wakeUpAll);
			change();
			return;
		}
		Duration pause = this.pause;
		String words = "Cannot " + (wanted ? "subscribe to" : "unsubscribe from") + " the channel '"
				+ this.topic.getChannelNames().get(0) + "', which is tried again; until then lanes look for messages"
				+ " without a wake-up: " + failure.getMessage();
		if (pause.equals(FIRST_PAUSE)) {
			logger.warn(words);
		}
		else {
			logger.debug(words, failure);
		}
		Duration doubled = pause.multipliedBy(2);
		synchronized (this) {
			this.pause = (doubled.compareTo(LONGEST_PAUSE) < 0) ? doubled : LONGEST_PAUSE;
			this.nextTry = this.scheduler.schedule(this::tryAgain, pause);
		}
	}

	private void tryAgain() {
		synchronized (this) {
			if (this.nextTry == null) {
				return;
			}
			this.nextTry = null;
			this.changing = false;
		}
		change();
	}

	private final class Subscription implements WakeUpSource.Subscription {

		private final WakeUpSource.Listener listener;

		Subscription(WakeUpSource.Listener listener) {
			this.listener = listener;
		}

		@Override
		public void close() {
			WakeUpChannel.this.listeners.remove(this.listener);
			change();
		}

		@Override
		public boolean isActive() {
			return isSubscribed();
		}

	}

	/**
	 * Gets the words of a question or an answer.
	 */
	@FunctionalInterface
	private interface Words {

		void pass(String first, String second, String text);

	}

	private final class Resubscribed implements StatusListener {

		@Override
		public void onSubscribe(String channel) {
			WakeUpChannel.this.listeners.forEach(WakeUpSource.Listener::wakeUpAll);
		}

		@Override
		public void onUnsubscribe(String channel) {
		}

	}

}
