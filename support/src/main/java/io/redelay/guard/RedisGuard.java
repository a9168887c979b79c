package io.redelay.guard;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.redelay.log.PlainLog;
import org.apache.commons.logging.Log;
import org.redisson.api.RedissonClient;
import org.redisson.api.redisnode.RedisNode;
import org.redisson.client.RedisException;

import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.core.NestedExceptionUtils;

/**
 * Checks at start-up, before listeners claim, for faults that lose messages later or keep
 * queues and locks from working: eviction of keys, no persistence, a server that is too
 * old, and rights that the user does not have. A fault is logged, or keeps the
 * application from starting. A check that the server does not answer is skipped, which is
 * logged.
 *
 * @since 0.1.0
 */
public final class RedisGuard implements SmartInitializingSingleton {

	private static final Log logger = PlainLog.of(RedisGuard.class);

	private static final long ANSWER_SECONDS = 10;

	private final RedissonClient redisson;

	private final GuardSettings settings;

	private final List<PermissionCheck> permissions;

	/**
	 * Creates a guard.
	 * @param redisson the client of the server
	 * @param settings what to check
	 * @param permissions which rights the user needs
	 */
	public RedisGuard(RedissonClient redisson, GuardSettings settings, List<PermissionCheck> permissions) {
		this.redisson = redisson;
		this.settings = settings;
		this.permissions = List.copyOf(permissions);
	}

	/**
	 * Checks the server. A client that connects at its first use is left alone, unless a
	 * finding is to keep the application from starting.
	 * @throws UnsuitableRedisException if there is such a finding
	 */
	@Override
	public void afterSingletonsInstantiated() {
		if (this.redisson.getConfig().isLazyInitialization() && !this.settings.canFail()) {
			return;
		}
		List<Finding> findings = findings();
		List<Finding> fatal = new ArrayList<>();
		for (Finding finding : findings) {
			if (finding.level() == GuardLevel.WARN) {
				logger.warn(finding.toString());
			}
			else if (finding.level() == GuardLevel.FAIL) {
				fatal.add(finding);
			}
		}
		if (!fatal.isEmpty()) {
			throw new UnsuitableRedisException(fatal);
		}
	}

	private List<Finding> findings() {
		List<Finding> findings = new ArrayList<>();
		if (this.settings.looksAtServer()) {
			try {
				for (RedisNode node : ServerFacts.masters(this.redisson)) {
					look(ServerFacts.of(node), findings);
				}
			}
			catch (RedisException | IllegalArgumentException ex) {
				logger.info("Redis cannot be checked for its eviction policy, its persistence and its version: "
						+ String.valueOf(ex.getMessage()).replaceFirst("\\. channel: (?s).*", ""));
			}
		}
		if (this.settings.permissions() != GuardLevel.OFF) {
			this.permissions.forEach((permission) -> look(permission, findings));
		}
		return findings;
	}

	private void look(ServerFacts server, List<Finding> findings) {
		if (this.settings.evictionPolicy() != GuardLevel.OFF && server.evicts()) {
			findings.add(server.evicting(this.settings.evictionPolicy()));
		}
		Boolean persistent = server.isPersistent();
		if (this.settings.persistence() != GuardLevel.OFF && persistent == null) {
			logger.info("Redis at " + server.address()
					+ " cannot be checked for its persistence: it has no append-only file, and does not report whether it"
					+ " writes snapshots");
		}
		else if (this.settings.persistence() != GuardLevel.OFF && Boolean.FALSE.equals(persistent)) {
			findings.add(server.forgetful(this.settings.persistence()));
		}
		String version = server.unsupportedVersion();
		if (this.settings.serverVersion() != GuardLevel.OFF && version != null) {
			findings.add(new Finding(this.settings.serverVersion(),
					"The server at " + server.address() + " is " + version + ", which is not supported.",
					"Use Redis 6.2 or newer, or Valkey."));
		}
	}

	private void look(PermissionCheck permission, List<Finding> findings) {
		try {
			look(permission.part(), permission.refusals().get().get(ANSWER_SECONDS, TimeUnit.SECONDS), findings);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		catch (ExecutionException | TimeoutException | RuntimeException ex) {
			// Redisson quotes the command with its parameters behind it.
			String why = String.valueOf(NestedExceptionUtils.getMostSpecificCause(ex).getMessage())
				.replaceFirst("(\\. channel: |, params: \\[)(?s).*", "");
			if (deniesRight(why)) {
				look(permission.part(), List.of(why), findings);
			}
			else if (why.startsWith("READONLY")) {
				lookAtReplica(findings);
			}
			else {
				logger.info("Redis cannot be checked for the rights of its user: " + why);
			}
		}
	}

	/**
	 * Whether a right is missing: of a command, or, as Redis 7 and Redis 6.2 word it, of
	 * one within a script.
	 */
	private static boolean deniesRight(String why) {
		return why.startsWith("NOPERM") || why.contains("ACL failure") || why.contains("executing the script can't");
	}

	private void lookAtReplica(List<Finding> findings) {
		Finding replica = new Finding(this.settings.permissions(),
				"Redis is a read-only replica: no message can be sent, and no lock be taken.",
				"Name its master in 'spring.data.redis.host' and 'spring.data.redis.port', or all of its nodes in"
						+ " 'spring.data.redis.masterreplica.nodes'.");
		if (!findings.contains(replica)) {
			findings.add(replica);
		}
	}

	private void look(String part, List<String> refusals, List<Finding> findings) {
		if (!refusals.isEmpty()) {
			findings.add(new Finding(this.settings.permissions(),
					"The user of Redis does not have the rights that " + part + " need: " + refusals + ".",
					"Give them to the user; the chapter 'The guard' of the guide has one that has all, and no others."));
		}
	}

}
