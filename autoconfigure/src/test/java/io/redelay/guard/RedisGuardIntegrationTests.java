package io.redelay.guard;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.redelay.autoconfigure.GuardAutoConfiguration;
import io.redelay.autoconfigure.LockAutoConfiguration;
import io.redelay.autoconfigure.QueueAutoConfiguration;
import io.redelay.autoconfigure.RedissonAutoConfiguration;
import io.redelay.embedded.redis.RedisServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.redisson.client.RedisException;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Integration tests for {@link RedisGuard}.
 */
@ExtendWith(OutputCaptureExtension.class)
class RedisGuardIntegrationTests {

	private static final String GUARD = "io.redelay.guard.RedisGuard";

	private static RedisServer bare;

	private static RedisServer sound;

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, RedissonAutoConfiguration.class,
				QueueAutoConfiguration.class, LockAutoConfiguration.class, GuardAutoConfiguration.class));

	@BeforeAll
	static void start(@TempDir Path folder) {
		bare = RedisServer.start();
		sound = RedisServer.builder().appendOnly(folder).start();
	}

	@AfterAll
	static void stop() {
		bare.close();
		sound.close();
	}

	@BeforeEach
	void restore() {
		bare.command("CONFIG", "SET", "maxmemory-policy", "noeviction");
		bare.command("ACL", "SETUSER", "app", "reset", "on", ">s3cret", "~*", "&*", "+@all");
	}

	@Test
	void aSoundServerIsNotTalkedAbout(CapturedOutput output) {
		on(sound).run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).doesNotContain(GUARD);
	}

	@Test
	void whatLosesMessagesIsLoggedByDefault(CapturedOutput output) {
		bare.command("CONFIG", "SET", "maxmemory-policy", "allkeys-lru");
		on(bare).run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).contains(GUARD, "127.0.0.1:" + bare.port() + " evicts keys", "'allkeys-lru'",
				"Set 'maxmemory-policy noeviction'", "writes nothing to its disk", "Set 'appendonly yes'");
	}

	@Test
	void theApplicationDoesNotStartIfThatIsAskedFor() {
		bare.command("CONFIG", "SET", "maxmemory-policy", "volatile-ttl");
		on(bare).withPropertyValues("redelay.guard.eviction-policy=fail", "redelay.guard.persistence=fail")
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(UnsuitableRedisException.class)
				.hasMessageContaining("'volatile-ttl'")
				.hasMessageContaining("writes nothing to its disk"));
	}

	@Test
	void whatIsOffIsNotChecked(CapturedOutput output) {
		bare.command("CONFIG", "SET", "maxmemory-policy", "allkeys-lru");
		on(bare)
			.withPropertyValues("redelay.guard.eviction-policy=off", "redelay.guard.persistence=off",
					"redelay.guard.permissions=off", "redelay.guard.server-version=off")
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).doesNotContain(GUARD);
	}

	@Test
	void missingRightsAreNamed() {
		bare.command("ACL", "SETUSER", "app", "-hincrby", "-zpopmax");
		asUser().withPropertyValues("redelay.guard.permissions=fail")
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(UnsuitableRedisException.class)
				.hasMessageContaining("HINCRBY")
				.hasMessageContaining("ZPOPMAX")
				.hasMessageContaining("fair lock")
				.hasMessageNotContaining("HSET"));
	}

	/**
	 * These rights are needed for the question which versions use Redis as well.
	 */
	@Test
	void missingRightsAreNamedIfNothingElseCanBeAsked() {
		bare.command("ACL", "SETUSER", "app", "-hgetall", "-hset", "-time");
		asUser().withPropertyValues("redelay.guard.permissions=fail", "redelay.lock.enabled=false")
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(UnsuitableRedisException.class)
				.hasMessageContaining("HGETALL")
				.hasMessageContaining("HSET")
				.hasMessageContaining("TIME"));
	}

	@Test
	void aRightThatAScriptLacksIsNamed() {
		for (String why : List.of("ERR ACL failure in script: No permissions to access one of the keys",
				"ERR The user executing the script can't run this command or subcommand")) {
			asUser()
				.withBean("test", PermissionCheck.class,
						() -> new PermissionCheck("tests",
								() -> CompletableFuture.failedFuture(new RedisException(why))))
				.withPropertyValues("redelay.guard.permissions=fail")
				.run((context) -> assertThat(context).getFailure()
					.hasMessageContaining("does not have the rights that tests need: [" + why + "]"));
		}
	}

	@Test
	void aChannelOrAKeyThatTheUserMayNotUseIsNamed() {
		bare.command("ACL", "SETUSER", "app", "resetchannels", "&redisson_*");
		asUser().withPropertyValues("redelay.guard.permissions=fail")
			.run((context) -> assertThat(context).getFailure().hasMessageContaining("PUBLISH"));
		bare.command("ACL", "SETUSER", "app", "allchannels", "resetkeys", "~shop:*", "~test1", "~test2");
		asUser().withPropertyValues("redelay.guard.permissions=fail")
			.run((context) -> assertThat(context).getFailure()
				.hasMessageContaining("queues, with keys and channels 'redelay:*'")
				.hasMessageContaining("to access one of the keys"));
		asUser()
			.withPropertyValues("redelay.guard.permissions=fail", "redelay.queue.key-prefix=shop",
					"redelay.lock.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void aReplicaIsNamed() {
		try (RedisServer replica = RedisServer.builder().config("replicaof 127.0.0.1 " + bare.port()).start()) {
			on(replica).withPropertyValues("redelay.guard.permissions=fail")
				.run((context) -> assertThat(context).getFailure()
					.isInstanceOf(UnsuitableRedisException.class)
					.hasMessageStartingWith(
							"Redis is a read-only replica: no message can be sent, and no lock be taken."
									+ " Name its master in 'spring.data.redis.host'"));
		}
	}

	@Test
	void aUserWithoutScriptsIsNamed() {
		bare.command("ACL", "SETUSER", "app", "-eval", "-evalsha");
		asUser().withPropertyValues("redelay.guard.permissions=fail", "redelay.queue.enabled=false")
			.run((context) -> assertThat(context).getFailure().hasMessageContaining("eval"));
		asUser().withPropertyValues("redelay.guard.permissions=fail", "redelay.lock.enabled=false")
			.run((context) -> assertThat(context).getFailure().hasMessageContaining("eval"));
	}

	@Test
	void aServerThatKeepsItsConfigurationToItselfIsNoReasonNotToStart(CapturedOutput output) {
		bare.command("ACL", "SETUSER", "app", "-config");
		asUser()
			.withPropertyValues("redelay.guard.eviction-policy=fail", "redelay.guard.persistence=fail",
					"redelay.guard.permissions=fail", "redelay.guard.server-version=fail")
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).contains("cannot be checked for its persistence");
		bare.command("ACL", "SETUSER", "app", "-info");
		asUser().withPropertyValues("redelay.guard.eviction-policy=fail")
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).contains("cannot be checked for its eviction policy");
	}

	@Test
	void theChecksLeaveNoKeyBehind() {
		on(sound).run((context) -> assertThat(context).hasNotFailed());
		assertThat(sound.command("KEYS", "*permissions*").toString()).isEqualTo("[]");
	}

	@Test
	void aClientThatConnectsAtItsFirstUseIsLeftAlone() {
		this.runner
			.withPropertyValues("spring.data.redis.host=localhost", "spring.data.redis.port=1",
					"redelay.redisson.lazy-initialization=true")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	private ApplicationContextRunner on(RedisServer server) {
		return this.runner.withPropertyValues("spring.data.redis.host=127.0.0.1",
				"spring.data.redis.port=" + server.port());
	}

	private ApplicationContextRunner asUser() {
		return on(bare).withPropertyValues("spring.data.redis.username=app", "spring.data.redis.password=s3cret");
	}

}
