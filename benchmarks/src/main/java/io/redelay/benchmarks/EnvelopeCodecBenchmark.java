package io.redelay.benchmarks;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.redelay.queue.HandlingOptions;
import io.redelay.queue.message.Envelope;
import io.redelay.queue.message.EnvelopeCodec;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * How long it takes to write and to read an envelope, whose payload is already or still
 * bytes.
 *
 * @since 0.1.0
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class EnvelopeCodecBenchmark {

	private final EnvelopeCodec codec = new EnvelopeCodec();

	/**
	 * How long the payload is, in bytes.
	 */
	@Param({ "200", "10000" })
	int payload;

	private Envelope envelope = envelope(0);

	private byte[] written = new byte[0];

	/**
	 * Makes an envelope to write and one to read.
	 */
	@Setup
	public void setUp() {
		this.envelope = envelope(this.payload);
		this.written = this.codec.write(this.envelope);
	}

	/**
	 * Writes an envelope.
	 * @return the bytes
	 */
	@Benchmark
	public byte[] write() {
		return this.codec.write(this.envelope);
	}

	/**
	 * Reads an envelope.
	 * @return the envelope
	 */
	@Benchmark
	public Envelope read() {
		return this.codec.read(this.written);
	}

	private static Envelope envelope(int length) {
		StringBuilder payload = new StringBuilder("{\"orders\":[");
		while (payload.length() < length - 40) {
			payload.append("{\"id\":").append(payload.length()).append(",\"item\":\"book\"},");
		}
		payload.append("{}]}");
		return new Envelope("order-7", Map.of("tenant", "north"), null, Envelope.Lifetime.NONE, false,
				Envelope.Keys.NONE, HandlingOptions.NONE, "application/json",
				payload.toString().getBytes(StandardCharsets.UTF_8), Instant.EPOCH, Instant.EPOCH);
	}

}
