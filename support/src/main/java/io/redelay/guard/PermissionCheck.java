package io.redelay.guard;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Finds out whether the user of a connection has the rights that a part of Redelay needs.
 *
 * @param part the part, and the names of the keys and channels that it uses
 * @param refusals checks, and completes with each refused right and the answer of Redis
 * @since 0.1.0
 */
public record PermissionCheck(String part, Supplier<CompletableFuture<List<String>>> refusals) {

}
