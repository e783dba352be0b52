package dev.holdfast.store;

import dev.holdfast.task.EndedBy;
import dev.holdfast.task.OnExit;
import dev.holdfast.task.TaskStatus;
import io.quarkus.hibernate.orm.panache.PanacheEntityBase;
import jakarta.persistence.CollectionTable;
import jakarta.persistence.Column;
import jakarta.persistence.Convert;
import jakarta.persistence.ElementCollection;
import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.FetchType;
import jakarta.persistence.Id;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.MapKeyColumn;
import jakarta.persistence.Table;
import jakarta.persistence.Version;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.hibernate.annotations.BatchSize;
import org.hibernate.annotations.JdbcTypeCode;
import org.hibernate.type.SqlTypes;
import org.jspecify.annotations.Nullable;

/**
 * A task as a row; {@link TaskMapping} says what each column means. Its version counts from 0, while a task without a
 * row has version 0: a task's version is one more than its row's.
 */
@Entity
@Table(name = "tasks")
@SuppressWarnings("NullAway.Init") // Hibernate makes it empty and fills it
class TaskRow extends PanacheEntityBase {
    @Id
    String id;

    @Version
    long version;

    @Enumerated(EnumType.STRING)
    @JdbcTypeCode(SqlTypes.VARCHAR)
    TaskStatus status;

    @Column(name = "created_at")
    Instant createdAt;

    @Column(name = "started_at")
    @Nullable
    Instant startedAt;

    @Column(name = "promoted_at")
    @Nullable
    Instant promotedAt;

    @Column(name = "updated_at")
    Instant updatedAt;

    @Column(name = "ended_at")
    @Nullable
    Instant endedAt;

    @Column(name = "command_text")
    String commandText;

    @Convert(converter = StringsColumn.class)
    @Nullable
    List<String> argv;

    @Nullable
    String shell;

    @Nullable
    Boolean login;

    String workdir;

    @Column(name = "terminal_rows")
    @Nullable
    Integer terminalRows;

    @Column(name = "terminal_cols")
    @Nullable
    Integer terminalCols;

    @Column(name = "accepts_input")
    boolean acceptsInput;

    @Column(name = "env_keys")
    @Convert(converter = StringsColumn.class)
    List<String> envKeys;

    @Column(name = "timeout_ms")
    @Nullable
    Long timeoutMillis;

    @Column(name = "idle_timeout_ms")
    @Nullable
    Long idleTimeoutMillis;

    @Column(name = "on_exit")
    @Enumerated(EnumType.STRING)
    @JdbcTypeCode(SqlTypes.VARCHAR)
    OnExit onExit;

    @Nullable
    String sandbox;

    @Nullable
    String owner;

    @Column(name = "ended_by")
    @Enumerated(EnumType.STRING)
    @JdbcTypeCode(SqlTypes.VARCHAR)
    @Nullable
    EndedBy endedBy;

    @Column(name = "exit_status")
    @Nullable
    Integer exitStatus;

    @Column(name = "exit_signal")
    @Nullable
    String exitSignal;

    @Column(name = "ending_details")
    @Convert(converter = StringMapColumn.class)
    @Nullable
    Map<String, String> endingDetails;

    @ElementCollection(fetch = FetchType.EAGER)
    @CollectionTable(name = "task_labels", joinColumns = @JoinColumn(name = "task_id"))
    @MapKeyColumn(name = "name")
    @Column(name = "content")
    @BatchSize(size = 100)
    Map<String, String> labels = new HashMap<>();
}
