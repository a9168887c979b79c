package io.redelay.queue.store;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import org.redisson.api.RTopic;
import org.redisson.api.RedissonClient;
import org.redisson.api.listener.StatusListener;
import org.redisson.client.codec.StringCodec;

/**
 * The one channel on which an instance hears that some of its lanes have something to do.
 * It is subscribed to while somebody listens.
 */
final class WakeUpChannel {

	private final RTopic topic;

	private final String prefix;

	private final List<WakeUpListener> listeners = new CopyOnWriteArrayList<>();

	WakeUpChannel(RedissonClient redisson, String prefix, String instance) {
		this.topic = redisson.getTopic(prefix + instance, StringCodec.INSTANCE);
		String channel = this.topic.getChannelNames().get(0);
		this.prefix = channel.substring(0, channel.length() - instance.length());
	}

	/**
	 * What the channels of all instances begin with, as Redis knows them.
	 */
	String prefix() {
		return this.prefix;
	}

	WakeUpSubscription subscribe(WakeUpListener listener) {
		synchronized (this.listeners) {
			this.listeners.add(listener);
			if (this.listeners.size() == 1) {
				this.topic.addListenerAsync(new Resubscribed());
				this.topic.addListenerAsync(String.class,
						(channel, lane) -> this.listeners.forEach((each) -> each.wakeUp(lane)));
			}
		}
		return () -> unsubscribe(listener);
	}

	private void unsubscribe(WakeUpListener listener) {
		synchronized (this.listeners) {
			this.listeners.remove(listener);
			if (this.listeners.isEmpty()) {
				this.topic.removeAllListenersAsync();
			}
		}
	}

	private final class Resubscribed implements StatusListener {

		@Override
		public void onSubscribe(String channel) {
			WakeUpChannel.this.listeners.forEach(WakeUpListener::wakeUpAll);
		}

		@Override
		public void onUnsubscribe(String channel) {
		}

	}

}
