package io.redelay.benchmarks.peers.contender;

import java.time.Duration;
import java.util.function.Function;

/**
 * Drives a contender that runs in this process.
 */
final class ClientSession implements Session {

	private static final Duration HOUR = Duration.ofHours(1);

	private final Client client;

	private final Senders senders = new Senders();

	private volatile Tally tally = new Tally(0, 0);

	private volatile int next;

	/**
	 * Creates a session.
	 * @param factory makes the client, which hands over what its handlers get
	 */
	ClientSession(Function<OrderHandler, Client> factory) {
		this.client = factory.apply((order) -> this.tally.handled(order));
	}

	@Override
	public void send(Sending sending, int count) {
		int first = take(count);
		try {
			send(sending, first, count);
		}
		catch (NotOfferedException ex) {
			this.next = first;
			throw ex;
		}
	}

	private void send(Sending sending, int first, int count) {
		switch (sending) {
			case ONE_THREAD -> this.senders.one(first, count, (number) -> this.client.send(now(number)));
			case THREADS -> this.senders.threads(first, count, (number) -> this.client.send(now(number)));
			case VIRTUAL_THREADS ->
				this.senders.virtualThreads(first, count, (number) -> this.client.send(now(number)));
			case FUTURES -> this.senders.futures(first, count, (number) -> this.client.sendAsync(now(number)));
			case BULK -> this.senders.bulk(first, count, ClientSession::now, this.client::sendAll);
		}
	}

	@Override
	public void fill(int count) {
		try {
			send(Sending.BULK, count);
		}
		catch (NotOfferedException ex) {
			send(Sending.THREADS, count);
		}
	}

	@Override
	public void fillLater(int count) {
		try {
			this.senders.bulk(Integer.MAX_VALUE - count, count, ClientSession::now,
					(orders) -> this.client.sendAllLater(orders, HOUR));
		}
		catch (NotOfferedException ex) {
			this.senders.threads(Integer.MAX_VALUE - count, count,
					(number) -> this.client.sendLater(now(number), HOUR));
		}
	}

	@Override
	public void expect(int count, int warmUp) {
		this.tally = new Tally(count, warmUp);
		this.next = 0;
	}

	@Override
	public void listen() {
		this.client.listen();
	}

	@Override
	public void pace(int count, int perSecond) {
		this.senders.paced(take(count), count, perSecond, (number) -> this.client.send(now(number)));
	}

	@Override
	public void schedule(int count, Duration first, int perSecond) {
		long start = Moment.micros() + first.toMillis() * 1000;
		int from = take(count);
		this.senders.threads(from, count, (number) -> {
			// Contenders count delays in milliseconds.
			long wanted = start + (number - from) * 1_000_000L / perSecond;
			long now = Moment.micros();
			long millis = Math.max(1, (wanted - now) / 1000);
			this.client.sendLater(Order.of(number, now + millis * 1000), Duration.ofMillis(millis));
		});
	}

	@Override
	public Handled await(Duration limit) {
		return this.tally.await(limit);
	}

	@Override
	public long left() {
		return this.client.left();
	}

	@Override
	public Duration cpu() {
		return ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO);
	}

	@Override
	public void close() {
		this.client.close();
	}

	private synchronized int take(int count) {
		int first = this.next;
		this.next += count;
		return first;
	}

	private static Order now(int number) {
		return Order.of(number, Moment.micros());
	}

}
