package io.redelay.queue.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import io.redelay.queue.wire.WakeUpSource;

/**
 * The channel of one instance.
 */
final class SimulatedWakeUps implements WakeUpSource {

	static final String PREFIX = "redelay:wake:";

	private final SimulatedInstance instance;

	private final SimulatedServer server;

	private final SimulatedNetwork network;

	private final List<Listener> listeners = new ArrayList<>();

	SimulatedWakeUps(SimulatedInstance instance, SimulatedServer server, SimulatedNetwork network) {
		this.instance = instance;
		this.server = server;
		this.network = network;
	}

	/**
	 * Ends the connection, as the instance was killed.
	 */
	void disconnect() {
		this.server.unsubscribe(PREFIX + this.instance.name());
	}

	@Override
	public String instance() {
		return this.instance.name();
	}

	@Override
	public String prefix() {
		return PREFIX;
	}

	@Override
	public void redisIsBack() {
		forEach(Listener::wakeUpAll);
	}

	/**
	 * Subscribes again, as the connection was lost.
	 */
	void reconnect() {
		if (!this.listeners.isEmpty()) {
			connect();
			redisIsBack();
		}
	}

	private void connect() {
		this.server.subscribe(PREFIX + this.instance.name(),
				(text) -> this.network.carry(() -> this.instance.execute(() -> received(text))));
	}

	@Override
	public Subscription subscribe(Listener listener) {
		this.listeners.add(listener);
		connect();
		this.instance.execute(listener::wakeUpAll);
		return () -> {
			this.listeners.remove(listener);
			if (this.listeners.isEmpty()) {
				disconnect();
			}
		};
	}

	private void received(String text) {
		if (text.startsWith("=")) {
			forEach((listener) -> listener.completed(text.substring(1)));
		}
		else if (text.startsWith("!")) {
			int blank = text.indexOf(' ');
			forEach((listener) -> listener.cancelled(text.substring(1, blank), text.substring(blank + 1)));
		}
		else {
			forEach((listener) -> listener.wakeUp(text));
		}
	}

	private void forEach(Consumer<Listener> action) {
		List.copyOf(this.listeners).forEach(action);
	}

}
