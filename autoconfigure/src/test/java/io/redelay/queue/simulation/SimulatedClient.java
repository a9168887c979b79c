package io.redelay.queue.simulation;

import java.io.IOException;
import java.net.ConnectException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.SimulatedConnection;
import io.redelay.scheduling.ScheduledTask;
import org.redisson.client.RedisConnectionException;
import org.redisson.client.RedisResponseTimeoutException;

/**
 * The client of one instance: a request that gets no reply in time fails, although Redis
 * may still run it.
 */
final class SimulatedClient implements SimulatedConnection.Server {

	private static final Duration TIMEOUT = Duration.ofSeconds(3);

	private final SimulatedInstance instance;

	private final SimulatedServer server;

	private final SimulatedNetwork network;

	SimulatedClient(SimulatedInstance instance, SimulatedServer server, SimulatedNetwork network) {
		this.instance = instance;
		this.server = server;
		this.network = network;
	}

	@Override
	public CompletableFuture<Object> run(Script script, String name, String text, List<byte[]> keys,
			List<byte[]> args) {
		CompletableFuture<Object> result = new CompletableFuture<>();
		if (this.instance.isKilled()) {
			// A task that waited ends, and says so.
			return result;
		}
		Copies copies = new Copies(this.server.process(), result::isDone);
		this.network.send(() -> copies.answer(() -> this.server.run(script, name, text, keys, args)),
				(answer) -> this.instance.execute(() -> answer.accept(result)));
		ScheduledTask timeout = this.instance
			.schedule(
					() -> result.completeExceptionally(
							new RedisResponseTimeoutException("Redis server response timeout (3000 ms) occured")),
					TIMEOUT);
		result.whenComplete((value, failure) -> timeout.cancel());
		return result;
	}

	@Override
	public Object call(Script script, String name, String text, List<byte[]> keys, List<byte[]> args)
			throws IOException {
		CompletableFuture<Object> result = new CompletableFuture<>();
		Copies copies = new Copies(this.server.process(), () -> true);
		this.network.call(() -> copies.answer(() -> this.server.run(script, name, text, keys, args)))
			.orElseThrow(() -> new IOException("The connection of the caller is lost"))
			.accept(result);
		if (result.isCompletedExceptionally()) {
			// It wrote nothing: the client tries.
			throw new ConnectException("Redis did not do it");
		}
		return result.join();
	}

	/**
	 * The copies of one request. Of a request that Redis refused no copy arrives later,
	 * as the client sends it again only where no reply came, and knows that then. Of one
	 * that has a reply, or is given up, none arrives at a later process of Redis: what
	 * was on its way is lost with the connections to the earlier process, and the client
	 * does not send it on a new one.
	 */
	private final class Copies {

		private final int process;

		private final BooleanSupplier over;

		private boolean carriedOut;

		private boolean refused;

		Copies(int process, BooleanSupplier over) {
			this.process = process;
			this.over = over;
		}

		Consumer<CompletableFuture<Object>> answer(Supplier<Object> request) {
			boolean lost = SimulatedClient.this.server.process() != this.process && this.over.getAsBoolean();
			if (this.refused || lost) {
				return (result) -> {
				};
			}
			try {
				Object value = request.get();
				this.carriedOut = true;
				return (result) -> result.complete(value);
			}
			catch (RedisConnectionException ex) {
				return (result) -> result.completeExceptionally(ex);
			}
			catch (RuntimeException ex) {
				if (this.carriedOut) {
					return (result) -> {
					};
				}
				this.refused = true;
				return (result) -> result.completeExceptionally(ex);
			}
		}

	}

}
