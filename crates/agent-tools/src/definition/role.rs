//! What the nodes of a grammar are to us.

use tree_sitter::Node;

use crate::syntax::Language;

/// The part that a node plays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// A function or a method: what is assigned inside is nobody else's.
    Function,
    /// A type, a module or a rule, which may hold further definitions.
    Type,
    /// A constant, a variable or a field.
    Value,
    /// Gives its name to what it holds and can't be replaced itself.
    Scope,
    /// Belongs to the one definition in it: decorators, `export`, `template`.
    Wrapper,
    /// A comment or an attribute, which belongs to the definition right below.
    Lead,
    /// Makes names of other files known.
    Import,
}

/// Whether texts of a language have definitions that can be told apart.
pub(super) fn has_definitions(language: Language) -> bool {
    !matches!(
        language,
        Language::Html
            | Language::Json
            | Language::JsonWithComments
            | Language::Toml
            | Language::Yaml
    )
}

/// The role of `node`, if it has one.
pub(super) fn role(language: Language, node: Node<'_>) -> Option<Role> {
    let kind = node.kind();
    if kind.contains("comment") || matches!(kind, "attribute_item" | "attribute_list") {
        return Some(Role::Lead);
    }
    match language {
        Language::Rust => rust(kind),
        Language::Python => python(node),
        Language::JavaScript | Language::TypeScript | Language::Tsx => script(kind),
        Language::Go => go(kind),
        Language::Java => java(kind),
        Language::C | Language::CHeader | Language::Cpp => c(node),
        Language::CSharp => c_sharp(kind),
        Language::Ruby => ruby(kind),
        Language::Php => php(kind),
        Language::Bash => match kind {
            "function_definition" => Some(Role::Function),
            "variable_assignment" => Some(Role::Value),
            _ => None,
        },
        Language::Kotlin => kotlin(kind),
        Language::Css => match kind {
            "rule_set" => Some(Role::Type),
            "import_statement" => Some(Role::Import),
            _ => None,
        },
        Language::Html
        | Language::Json
        | Language::JsonWithComments
        | Language::Toml
        | Language::Yaml => None,
    }
}

fn rust(kind: &str) -> Option<Role> {
    match kind {
        "function_item" | "function_signature_item" | "macro_definition" => Some(Role::Function),
        "struct_item" | "enum_item" | "union_item" | "trait_item" | "mod_item" | "type_item" => {
            Some(Role::Type)
        }
        "const_item" | "static_item" => Some(Role::Value),
        "impl_item" => Some(Role::Scope),
        "use_declaration" => Some(Role::Import),
        _ => None,
    }
}

fn python(node: Node<'_>) -> Option<Role> {
    match node.kind() {
        "function_definition" => Some(Role::Function),
        "class_definition" => Some(Role::Type),
        "decorated_definition" => Some(Role::Wrapper),
        "expression_statement" => {
            let is_assignment =
                node.named_child(0).is_some_and(|child| child.kind() == "assignment");
            is_assignment.then_some(Role::Value)
        }
        "import_statement" | "import_from_statement" | "future_import_statement" => {
            Some(Role::Import)
        }
        _ => None,
    }
}

fn script(kind: &str) -> Option<Role> {
    match kind {
        "function_declaration"
        | "generator_function_declaration"
        | "method_definition"
        | "function_signature"
        | "method_signature"
        | "abstract_method_signature" => Some(Role::Function),
        "class_declaration"
        | "abstract_class_declaration"
        | "interface_declaration"
        | "enum_declaration"
        | "type_alias_declaration"
        | "internal_module" => Some(Role::Type),
        "lexical_declaration"
        | "variable_declaration"
        | "field_definition"
        | "public_field_definition" => Some(Role::Value),
        "export_statement" | "ambient_declaration" => Some(Role::Wrapper),
        "import_statement" => Some(Role::Import),
        _ => None,
    }
}

fn go(kind: &str) -> Option<Role> {
    match kind {
        "function_declaration" | "method_declaration" => Some(Role::Function),
        "type_declaration" => Some(Role::Type),
        "const_declaration" | "var_declaration" => Some(Role::Value),
        "import_declaration" => Some(Role::Import),
        _ => None,
    }
}

fn java(kind: &str) -> Option<Role> {
    match kind {
        "method_declaration" | "constructor_declaration" | "compact_constructor_declaration" => {
            Some(Role::Function)
        }
        "class_declaration"
        | "interface_declaration"
        | "enum_declaration"
        | "record_declaration"
        | "annotation_type_declaration" => Some(Role::Type),
        "field_declaration" | "constant_declaration" => Some(Role::Value),
        "import_declaration" => Some(Role::Import),
        _ => None,
    }
}

fn c(node: Node<'_>) -> Option<Role> {
    match node.kind() {
        "function_definition" => Some(Role::Function),
        "class_specifier" | "struct_specifier" | "union_specifier" | "enum_specifier" => {
            // Without a body it is only named, as the type of something else.
            node.child_by_field_name("body").map(|_| Role::Type)
        }
        "namespace_definition" => Some(Role::Scope),
        "template_declaration" => Some(Role::Wrapper),
        "type_definition" | "declaration" | "preproc_def" | "preproc_function_def" => {
            Some(Role::Value)
        }
        "preproc_include" => Some(Role::Import),
        _ => None,
    }
}

fn c_sharp(kind: &str) -> Option<Role> {
    match kind {
        "method_declaration" | "constructor_declaration" | "local_function_statement" => {
            Some(Role::Function)
        }
        "class_declaration"
        | "struct_declaration"
        | "interface_declaration"
        | "enum_declaration"
        | "record_declaration" => Some(Role::Type),
        "field_declaration" | "property_declaration" => Some(Role::Value),
        "namespace_declaration" => Some(Role::Scope),
        "using_directive" => Some(Role::Import),
        _ => None,
    }
}

fn ruby(kind: &str) -> Option<Role> {
    match kind {
        "method" | "singleton_method" => Some(Role::Function),
        "class" | "module" => Some(Role::Type),
        "assignment" => Some(Role::Value),
        _ => None,
    }
}

fn php(kind: &str) -> Option<Role> {
    match kind {
        "function_definition" | "method_declaration" => Some(Role::Function),
        "class_declaration"
        | "interface_declaration"
        | "trait_declaration"
        | "enum_declaration" => Some(Role::Type),
        "const_declaration" | "property_declaration" => Some(Role::Value),
        "namespace_use_declaration" => Some(Role::Import),
        _ => None,
    }
}

fn kotlin(kind: &str) -> Option<Role> {
    match kind {
        "function_declaration" => Some(Role::Function),
        "class_declaration" | "object_declaration" => Some(Role::Type),
        "property_declaration" => Some(Role::Value),
        "import" => Some(Role::Import),
        _ => None,
    }
}

/// Kinds between a declaration and the one name that it declares.
const BETWEEN: [&str; 12] = [
    "variable_declarator",
    "variable_declaration",
    "type_spec",
    "type_alias",
    "const_spec",
    "var_spec",
    "assignment",
    "const_element",
    "property_element",
    "init_declarator",
    "reference_declarator",
    "selectors",
];

/// The names that `node` declares, the scope first where it says that too.
pub(super) fn names(node: Node<'_>, text: &str) -> Option<Vec<String>> {
    let of = |node: Node<'_>| {
        let words: Vec<&str> = text.get(node.byte_range())?.split_whitespace().collect();
        Some(words.join(" "))
    };
    if node.kind() == "impl_item" {
        let of_type = of(node.child_by_field_name("type")?)?;
        return Some(vec![of_type.split('<').next()?.trim().to_owned()]);
    }
    let receiver = node.child_by_field_name("receiver").and_then(of).map(|receiver| {
        let last = receiver.trim_matches(['(', ')']).split([' ', '*']).next_back();
        last.unwrap_or_default().split('[').next().unwrap_or_default().to_owned()
    });
    let name = of(name_node(node)?)?;
    let names = name.split("::").map(|name| name.trim_start_matches('$').to_owned());
    Some(receiver.into_iter().chain(names).filter(|name| !name.is_empty()).collect())
}

fn name_node(mut node: Node<'_>) -> Option<Node<'_>> {
    // A chain of declarators is as long as its stars; nobody writes more.
    for _ in 0..8 {
        if matches!(node.kind(), "qualified_identifier" | "selectors") {
            return Some(node);
        }
        if let Some(name) = node.child_by_field_name("name") {
            return Some(name);
        }
        let inner = ["declarator", "left", "property"];
        if let Some(child) = inner.iter().find_map(|field| node.child_by_field_name(field)) {
            node = child;
            continue;
        }
        let mut cursor = node.walk();
        let mut specs =
            node.named_children(&mut cursor).filter(|child| BETWEEN.contains(&child.kind()));
        match (specs.next(), specs.next()) {
            (Some(one), None) => node = one,
            (Some(_), Some(_)) => return None,
            (None, _) => {
                let is_name = node.kind().contains("identifier") || node.kind() == "constant";
                if is_name {
                    return Some(node);
                }
                let mut cursor = node.walk();
                let name = node.named_children(&mut cursor).find(|child| {
                    matches!(child.kind(), "identifier" | "name" | "simple_identifier")
                });
                return name.filter(|_| BETWEEN.contains(&node.kind()));
            }
        }
    }
    None
}
