package io.redelay.autoconfigure;

import java.net.ConnectException;
import java.net.UnknownHostException;
import java.nio.channels.ClosedChannelException;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

import javax.net.ssl.SSLException;

import io.netty.channel.ConnectTimeoutException;
import io.netty.handler.ssl.SslHandshakeTimeoutException;
import io.redelay.autoconfigure.RedisLocation.Topology;
import org.jspecify.annotations.Nullable;
import org.redisson.client.RedisAuthRequiredException;
import org.redisson.client.RedisException;
import org.redisson.client.RedisTimeoutException;
import org.redisson.client.RedisWrongPasswordException;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;

/**
 * {@link FailureAnalyzer} that reports why the auto-configured Redisson client could not
 * use Redis, and which properties to set.
 */
class RedisUnavailableFailureAnalyzer extends AbstractFailureAnalyzer<RedisUnavailableException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, RedisUnavailableException cause) {
		RedisLocation location = cause.getLocation();
		Finding finding = find(cause, location);
		return new FailureAnalysis("Redis at %s %s.".formatted(location, finding.problem()), finding.action(), cause);
	}

	private Finding find(Throwable failure, RedisLocation location) {
		if (findCause(failure, UnknownHostException.class) != null) {
			return new Finding("has an unknown host name", startRedis(location));
		}
		if (findCause(failure, RedisAuthRequiredException.class) != null) {
			return new Finding("asks for a password", setCredentials(location));
		}
		if (findCause(failure, RedisWrongPasswordException.class) != null) {
			return new Finding("refuses the user name or the password", setCredentials(location));
		}
		if (isSilence(failure)) {
			return location.tls() ? new Finding("does not answer when spoken to by TLS", speakPlainText())
					: new Finding("does not answer", speakTls() + " " + startRedis(location));
		}
		SSLException handshake = findCause(failure, SSLException.class);
		if (handshake != null) {
			return new Finding("and this application do not agree on TLS: " + handshake.getMessage(), agreeOnTls());
		}
		if (findCause(failure, ConnectException.class) != null) {
			return new Finding("refuses connections", startRedis(location));
		}
		String refusal = refusal(failure);
		if (refusal != null) {
			return new Finding("refuses the client: " + refusal, yieldTo(refusal));
		}
		return new Finding("can't be reached", startRedis(location));
	}

	private boolean isSilence(Throwable failure) {
		return Stream
			.of(TimeoutException.class, RedisTimeoutException.class, ConnectTimeoutException.class,
					ClosedChannelException.class, SslHandshakeTimeoutException.class)
			.anyMatch((type) -> findCause(failure, type) != null);
	}

	/**
	 * Returns the answer of Redis, without the channel and the command that Redisson
	 * adds.
	 */
	private @Nullable String refusal(@Nullable Throwable failure) {
		Throwable cause = failure;
		while (cause != null && cause.getClass() != RedisException.class) {
			cause = cause.getCause();
		}
		return (cause != null && cause.getMessage() != null) ? cause.getMessage().replaceFirst("\\. channel: .*", "")
				: null;
	}

	private String yieldTo(String refusal) {
		return Refusal.of(refusal)
			.map((known) -> known.action)
			.orElse("Change what it objects to, under 'spring.data.redis' or in the configuration of Redis.");
	}

	private String agreeOnTls() {
		return "Trust the certificate of Redis by an SSL bundle in 'spring.data.redis.ssl.bundle', and check that it is "
				+ "issued for the host name that is configured.";
	}

	private String speakPlainText() {
		return "Check that Redis speaks TLS there. If it does not, set 'spring.data.redis.ssl.enabled' to false, or begin "
				+ "'spring.data.redis.url' with redis:// instead of rediss://. If it asks for a certificate of the client, "
				+ "add that to an SSL bundle and name it in 'spring.data.redis.ssl.bundle'.";
	}

	private String speakTls() {
		return "Check the way to it, and whether it speaks TLS only: then set 'spring.data.redis.ssl.enabled' to true, or "
				+ "begin 'spring.data.redis.url' with rediss:// instead of redis://.";
	}

	private String startRedis(RedisLocation location) {
		String properties = switch (location.topology()) {
			case STANDALONE -> "'spring.data.redis.host' and 'spring.data.redis.port', or 'spring.data.redis.url',";
			case SENTINEL -> "'spring.data.redis.sentinel.nodes' and 'spring.data.redis.sentinel.master'";
			case CLUSTER -> "'spring.data.redis.cluster.nodes'";
			case MASTER_REPLICA -> "'spring.data.redis.masterreplica.nodes'";
		};
		return "Start Redis there, or set %s to where it is. ".formatted(properties)
				+ "For tests and development, the dependency 'io.redelay:redelay-embedded-redis' brings a Redis that is "
				+ "used when no location is configured. If it is there as an optional dependency, it is in IDEs, in tests "
				+ "and with 'spring-boot:run', but not in the packaged application.";
	}

	private String setCredentials(RedisLocation location) {
		String sentinel = (location.topology() == Topology.SENTINEL)
				? " For the sentinels themselves, set 'spring.data.redis.sentinel.username' and "
						+ "'spring.data.redis.sentinel.password'."
				: "";
		return "Set 'spring.data.redis.password', and 'spring.data.redis.username' unless it is the default user's, or "
				+ "give both in 'spring.data.redis.url'." + sentinel;
	}

	/**
	 * Answers of Redis that do not name a property, and the one to change.
	 */
	private enum Refusal {

		DATABASE("DB index",
				"Set 'spring.data.redis.database' to a database that it has: 0 to 15, unless its 'databases'"
						+ " says otherwise; a cluster has 0 alone."),

		CLUSTER("cluster support disabled",
				"It is one node: set 'spring.data.redis.host' and 'spring.data.redis.port' in place of"
						+ " 'spring.data.redis.cluster.nodes'."),

		SENTINEL("unknown command 'SENTINEL'",
				"It is no sentinel: name host and port of the sentinels, 26379 by default, in"
						+ " 'spring.data.redis.sentinel.nodes'."),

		PASSWORD("without any password configured",
				"It has no password: leave 'spring.data.redis.password' out, or set 'requirepass' there."),

		PROTECTED_MODE("protected mode",
				"It takes connections of its own machine only, for it has no password: set 'requirepass' there, and"
						+ " 'spring.data.redis.password' here."),

		RIGHTS("NOPERM", "Give its user the rights; the chapter 'The guard' of the guide has a user with all that are"
				+ " needed, and no others.");

		private final String words;

		private final String action;

		Refusal(String words, String action) {
			this.words = words;
			this.action = action;
		}

		static Optional<Refusal> of(String answer) {
			return Stream.of(values()).filter((each) -> answer.contains(each.words)).findFirst();
		}

	}

	/**
	 * What is wrong, and what to do about it.
	 */
	private record Finding(String problem, String action) {

	}

}
